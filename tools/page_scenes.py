"""The states of the finding screen, each as what the service would send: for its checks and pictures, without a service's timing.

A scene has updates and directions with the keys of docs/formats.md; a page gets them from an EventSource of its own, again and again as from a
device that is alive, unless the scene is silent.
"""
import json
import math
import re

SESSION, TOKEN = "0123456789abcdef" * 2, "a-read-token"
ADDRESS = f"/s/{SESSION}#{TOKEN}"
# What a page finds in the place of EventSource, and the sum of its layout shifts.
STAND_IN = """
window.streams = []; window.shifts = [];
new PerformanceObserver(list => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts.push([entry.value, ...entry.sources.map(source => source.node?.id || source.node?.className || source.node?.nodeName)].join(" ")); }).observe({type: "layout-shift", buffered: true});
window.EventSource = class extends EventTarget {
  static CLOSED = 2;
  constructor(url) { super(); this.url = url; this.readyState = 1; streams.push(this); setTimeout(() => this.tell(new Event("open"))); }
  tell(event) { if (this.readyState === 2) return; this["on" + event.type]?.(event); this.dispatchEvent(event); }
  close() { this.readyState = 2; }
};
let count = 0;
window.feed = events => { for (const [kind, data] of events) streams.at(-1)?.tell(new MessageEvent(kind, {data: JSON.stringify(data), lastEventId: String(count++)})); };
window.live = events => { clearInterval(window.beat); feed(events); window.beat = setInterval(() => feed(events), 200); };
window.lose = () => { clearInterval(window.beat); const source = streams.at(-1); source.tell(new Event("error")); };
"""
AHEAD = 1.1  # azimuth of straight ahead in the scenes' world
WALK = [(3 * k / 60, 0.9 * math.sin(k / 14)) for k in range(61)]
TRAJECTORY = "".join(f"{k / 10:.6f} {x:.4f} {y:.4f} 0 0 0 0 1\n" for k, (x, y) in enumerate(WALK))
MOVE, SIDEWAYS, UPWARDS = "Move around a little.", "Move your phone from side to side.", "Move your phone up and down."


def update(peer="tag", distance=4.9, angle=None, spread=0.3, reasons=(), guidance=None, vertical="unknown", found=None, progress=None, findings=None, std=0.1, premise=None):
    """A line of updates.jsonl; `angle` and `spread`, half of its interval, in degrees. Converged with an angle and no reasons."""
    converged = found if found is not None else angle is not None and not reasons
    one = {
        "timestamp": 10_000_000_000, "peer": peer, "distance": distance, "distanceStd": None if distance is None else std, "direction": None,
        "horizontalAngle": None, "horizontalAngleStd": None, "horizontalAngleInterval": None, "verticalDirectionEstimate": vertical,
        "worldTransform": None, "positionCovariance": None, "quality": "precise",
        "convergence": {"status": "converged" if converged else "notConverged" if reasons else "unknown", "reasons": list(reasons)},
        "guidance": guidance, "details": {},
    }
    if progress is not None:
        one["details"]["progress"] = progress
    if findings:
        one["details"]["findings"] = dict.fromkeys(findings)
    if premise:
        one["details"]["premise"] = premise
    if angle is not None:
        a, half = math.radians(angle), math.radians(spread if spread > 1 else 8)
        one.update(horizontalAngle=a, horizontalAngleStd=half / 1.645, horizontalAngleInterval=[a - half, a + half])
        if converged:
            (hx, hy), azimuth = WALK[-1], AHEAD - a
            one["worldTransform"] = [1, 0, 0, hx + distance * math.cos(azimuth), 0, 1, 0, hy + distance * math.sin(azimuth), 0, 0, 1, 0, 0, 0, 0, 1]
            one["positionCovariance"] = [0.06, 0.02, 0, 0.02, 0.03, 0, 0, 0, 0.05]
    return ("update", one)


def directions(peer="tag", modes=(), distance=4.9):
    """Where a peer may be: (degrees, probability, 1-sigma in degrees) of each mode."""
    listed = []
    for angle, probability, std in modes:
        a = math.radians(angle)
        listed.append({"angle": a, "elevation": 0.1, "probability": probability, "std": math.radians(std), "distance": distance,
                       "direction": [math.cos(AHEAD - a), math.sin(AHEAD - a), 0.1]})
    return ("directions", {"timestamp": 10_000_000_000, "peer": peer, "ahead": AHEAD, "modes": listed})


def verdict(*found):
    """The run's verdict: (state, code, sentence, remedy, peer) of each finding, the worst first."""
    findings = [{"state": state, "code": code, "family": "radio" if peer else "imu", "sentence": sentence, "remedy": remedy, "peer": peer} for state, code, sentence, remedy, peer in found]
    return ("verdict", {"state": findings[0]["state"] if findings else "healthy", "findings": findings})


class Scene:
    """A state. `says` are regular expressions by the id of the element whose text must hold them; `kind` the class of #finding, "" for a form."""

    def __init__(self, name, events, kind, says, status="active", code=200, silent=False, lost=False, path=True):
        self.name, self.events, self.kind, self.says, self.status, self.code = name, events, kind, says, status, code
        self.silent, self.lost, self.path = silent, lost, path

    def answer(self):
        if self.code != 200:
            return {"error": "no such session, or another token"}
        return {"id": SESSION, "state": self.status, "counts": {"updates": 10}, "failure": "the disk is full" if self.status == "failed" else None}

    def begin(self, page, server):
        """Routes the session's calls and opens the page."""
        page.add_init_script(STAND_IN)
        page.route(re.compile(f"/v1/sessions/{SESSION}$"), lambda route: route.abort() if self.lost and page.evaluate("() => streams.length") else
                   route.fulfill(status=self.code, content_type="application/json", body=json.dumps(self.answer())))
        page.route(re.compile("/trajectory.tum"), lambda route: route.fulfill(
            status=self.code, content_type="text/plain", body=TRAJECTORY if self.path and route.request.url.endswith("from=0") else ""))
        page.goto(server.address + ADDRESS)
        if self.code == 200 and self.status != "failed":
            page.wait_for_function("() => streams.length")
            page.wait_for_timeout(50)
            self.play(page)
            if self.path:
                page.wait_for_function("() => finding.path.length > 1")
            if self.kind == "refuted":
                page.wait_for_function("() => document.querySelector('.remedy')")

    def play(self, page):
        """Sends its events to an open page."""
        page.evaluate("events => live(events)", self.events)
        if self.silent:
            page.evaluate("() => clearInterval(window.beat)")
            page.wait_for_timeout(2400)
        if self.lost:
            page.evaluate("() => lose()")
            page.wait_for_timeout(2600)


NO_SWEEP, NO_MOVE, NO_HEIGHT, DARK = "insufficientHorizontalSweep", "insufficientMovement", "insufficientVerticalSweep", "insufficientLighting"
FOUND = [directions(), update(angle=62, vertical="above")]
TWO = [directions(), update(angle=-38, vertical="same", distance=7.4), directions("bag"), update("bag", 12.3, 118)]
ENDED = ("state", {"state": "finished"})
IN_G = verdict(("broken", "accelerometerUnit", "the accelerometer looks to be in g, not m/s^2", "write the accelerometer in m/s^2", None))
SCENES = [
    Scene("waiting", [("update", update(None, None)[1])], "waiting", {"name": "No peer yet", "side": "Waiting for the first range"}, path=False),
    Scene("searching", [update(reasons=[NO_MOVE], guidance=MOVE)], "searching",
          {"name": "^tag$", "distance": "4.9", "side": "Direction not known yet", "certainty": "needs more movement", "guidance": MOVE}, path=False),
    Scene("ring-all-round", [update(reasons=[NO_MOVE], guidance=MOVE, progress=0.1), directions(modes=[(k * 45, 0.125, 30) for k in range(8)])], "ring",
          {"side": "Direction not known yet"}),
    Scene("ring-mirror", [update(reasons=[NO_SWEEP], guidance=SIDEWAYS, progress=0.35), directions(modes=[(-75, 0.52, 12), (80, 0.46, 12)])], "ring",
          {"side": "^Perhaps to the left or to the right$", "certainty": "needs a sideways sweep"}),
    Scene("ring-behind", [update(reasons=[NO_SWEEP, NO_HEIGHT], guidance=SIDEWAYS, progress=0.6),
                          directions(modes=[(-140, 0.58, 14), (35, 0.22, 16), (100, 0.15, 15)])], "ring", {"side": "^Perhaps behind, to the left$", "name": "^tag$"}),
    Scene("unsure", [update(angle=-100, spread=34, reasons=[NO_HEIGHT], guidance=UPWARDS, progress=0.7, vertical="aboveOrBelow"), directions()], "unsure",
          {"side": "^Probably to the left$", "certainty": "not sure yet: needs an up-and-down sweep", "level": "above or below"}),
    Scene("found", FOUND, "sure", {"name": "^tag$", "distance": "4.9", "side": "^To the right$", "certainty": "✓ found", "level": "▲ above you", "guidance": "^Turn right.$"}),
    Scene("behind", [directions(), update(angle=-152, distance=6.2, vertical="same")], "sure", {"side": "^Behind, to the left$", "guidance": "Turn around, to the left"}),
    Scene("ahead", [directions(), update(angle=6, distance=3.4, vertical="same")], "go", {"side": "^Straight ahead$", "guidance": "Walk towards it"}),
    Scene("here", [directions(), update(distance=0.7, std=0.08, reasons=[NO_MOVE], findings=["near"], guidance=MOVE)], "here",
          {"side": "^It is here$", "certainty": "within reach", "distance": "0.7"}),
    Scene("two-peers", TWO, "sure", {"name": "^tag$", "side": "Ahead, to the left", "others": "bag.*12 m.*to the right"}),
    Scene("many-peers", TWO + [update("keys", 2.1, -95, 40, reasons=[NO_HEIGHT]), update("a name of an artefact that is far too long for any chip or title", 21.7), update("dog", 0.9, 170)],
          "sure", {"others": "keys.*2.1 m"}),
    Scene("dark", [directions(), update(reasons=[DARK], guidance="Turn on more light.", findings=["dark"])], "searching", {"certainty": "needs more light", "guidance": "Turn on more light."}),
    Scene("refuted", [IN_G, directions(), update(findings=["accelerometerUnit"], found=False)], "refuted",
          {"certainty": "set-up broken: accelerometer unit", "level": "only the distance holds", "guidance": "^Write the accelerometer in m/s", "side": "Direction not known", "distance": "4.9"}),
    Scene("refuted-radio", [verdict(("broken", "rangeUnit", "ranges to tag look to be in millimetres", "write ranges in metres", "tag")), directions(),
                            update(distance=1844.0, findings=["rangeUnit"], found=False)], "refuted",
          {"certainty": "set-up broken: range unit", "level": "as the radio says", "guidance": "^Write ranges in metres"}),
    # A code that no page has heard of is shown like any other; another peer's link is no matter of this one.
    Scene("refuted-link", [verdict(("broken", "aCodeOfTomorrow", "ranges to bag lie", "ask tomorrow", "bag")), directions(), update(angle=62, vertical="above"), directions("bag"),
                           update("bag", 1844.0, findings=["aCodeOfTomorrow"], found=False)], "sure", {"certainty": "found", "others": "bag.*direction not known"}),
    Scene("doubtful", [verdict(("doubtful", "radioClock", "evidence speaks against this premise", "check it", "tag")), directions(),
                       update(reasons=[NO_MOVE], guidance=MOVE, findings=["premiseOpen"], premise="radioClock")], "searching",
          {"certainty": "doubtful set-up: radio clock", "guidance": MOVE}),
    Scene("stale", FOUND, "old", {"side": "^Last known: to the right$", "certainty": "nothing new for [23] s", "connection": "no updates"}, silent=True),
    Scene("suspended", FOUND + [("state", {"state": "suspended"})], "old", {"connection": "suspended", "side": "Last known"}),
    Scene("lost", FOUND, "old", {"connection": "trying again", "guidance": "connection is lost", "side": "Last known"}, lost=True),
    Scene("finished", FOUND + [ENDED], "over", {"connection": "^finished$", "certainty": "finished: nothing more comes", "side": "^Last known: to the right$"}),
    Scene("deleted", FOUND + [("state", {"state": "deleted"})], "over", {"connection": "^deleted$", "certainty": "deleted: nothing more comes"}),
    Scene("failed", [], "over", {"connection": "failed: the disk is full", "certainty": "nothing more comes"}, status="failed", path=False),
    Scene("wrong-token", [], "", {"ask": "Wrong token", "refusal": "token in the address"}, code=404),
]
