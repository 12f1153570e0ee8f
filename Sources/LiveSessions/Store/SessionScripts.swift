/// What the server does to a session's keys in one go, in Lua. Keys are log, meta, owner and wanted; the first arguments
/// are the node, the milliseconds of a lease, and those that the keys live after the last record.
enum SessionScripts {
  private static let keeping =
    "if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) redis.call('PEXPIRE', KEYS[2], ARGV[3]) end "
  /// The creation, entry 0-1: nobody owns it yet.
  static let creation =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end "
    + "redis.call('XADD', KEYS[1], '0-1', 'k', ARGV[4], 'a', ARGV[5], 'v', ARGV[6], 'p', ARGV[7]) "
    + "redis.call('HSET', KEYS[2], 'fence', '0', 'last', '0-1') " + keeping + "return 1"
  /// A record, only under the newest fence and only behind the one before it; the same again changes nothing.
  static let addition =
    "local now = redis.call('HMGET', KEYS[2], 'fence', 'last') "
    + "if now[1] ~= ARGV[4] then return redis.error_reply('FENCED by a newer lease') end "
    + "if now[2] == ARGV[5] then return 1 end "
    + "if now[2] ~= ARGV[6] then return redis.error_reply('GAP ' .. tostring(now[2])) end "
    + "redis.call('XADD', KEYS[1], ARGV[5], 'k', ARGV[7], 'a', ARGV[8], 'p', ARGV[9]) "
    + "redis.call('HSET', KEYS[2], 'last', ARGV[5]) " + keeping + "return 1"
  /// The lease, where nobody has it: its fence. Otherwise the owner hears that it is wanted; the time that is left.
  static let taking =
    "if redis.call('EXISTS', KEYS[1]) == 0 then return {-1, 0, ''} end "
    + "local owner = redis.call('GET', KEYS[3]) "
    + "if owner and owner ~= ARGV[1] then if ARGV[4] == '1' then redis.call('SET', KEYS[4], ARGV[1], 'PX', ARGV[2]) end "
    + "return {0, redis.call('PTTL', KEYS[3]), owner} end "
    + "redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2]) redis.call('DEL', KEYS[4]) "
    + "return {1, redis.call('HINCRBY', KEYS[2], 'fence', 1), redis.call('HGET', KEYS[2], 'last')}"
  /// Renews the lease: 0 where it is another's, 2 where somebody waits for it.
  static let renewal =
    "if redis.call('GET', KEYS[3]) ~= ARGV[1] or redis.call('HGET', KEYS[2], 'fence') ~= ARGV[4] then return 0 end "
    + "redis.call('PEXPIRE', KEYS[3], ARGV[2]) " + keeping
    + "local other = redis.call('GET', KEYS[4]) if other and other ~= ARGV[1] then return 2 end return 1"
  static let leaving =
    "if redis.call('GET', KEYS[3]) == ARGV[1] and redis.call('HGET', KEYS[2], 'fence') == ARGV[4] then "
    + "redis.call('DEL', KEYS[3]) end return 1"
  static let removal =
    "if redis.call('HGET', KEYS[2], 'fence') ~= ARGV[4] then return redis.error_reply('FENCED by a newer lease') end "
    + "redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4]) return 1"
}
