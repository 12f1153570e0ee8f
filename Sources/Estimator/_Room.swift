// Room opened; its files follow.
