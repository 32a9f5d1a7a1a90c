-- BENCH_RATE=<req/s> BENCH_SECONDS=<s> wrk -s load.lua <url> -- <folder with bodies> <key>
-- The requests are formatted once; in the run a request costs wrk one table read.

local requests = {}
local turn = 0
local threads = {}
unfinished = 0

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local folder, key = args[1], args[2]
  for line in io.lines(folder .. "/index") do
    local name, session = line:match("^(%S+) (%S+)$")
    local file = assert(io.open(folder .. "/" .. name, "rb"))
    local body = file:read("*a")
    file:close()
    requests[#requests + 1] = wrk.format("POST", nil, {
      ["authorization"] = "Bearer " .. key,
      ["content-type"] = "application/json",
      ["accept"] = "text/event-stream",
      ["user-agent"] = "svc-bench/1",
      ["originator"] = "svc-bench",
      ["session-id"] = session,
      ["thread-id"] = session,
      ["x-client-request-id"] = session,
    }, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

-- With a rate: one schedule for all connections, each of which takes the next slot when it is free. A slow answer holds up
-- its own connection and no other, so that this is an open loop until all connections wait. Agents do not agree on when to
-- send: the gaps are random (exponential), and the same for both sides. wrk's timers are whole milliseconds, so what is due
-- within one leaves together. All connections are made before the first slot: what that costs is paid once a client, not by
-- one request in a hundred. After the last slot every connection rests: nothing is cut off when wrk ends.
local rate = tonumber(os.getenv("BENCH_RATE") or "")
if rate then
  local ffi = require("ffi")
  ffi.cdef("typedef struct { long s, ns; } bench_time; int clock_gettime(int clock, bench_time *time);")
  local time = ffi.new("bench_time")
  local function now_ms()
    ffi.C.clock_gettime(1, time)
    return tonumber(time.s) * 1000 + tonumber(time.ns) / 1e6
  end

  local SETTLE_MS = 1000
  local started, due
  local last = tonumber(os.getenv("BENCH_SECONDS")) * 1000
  local forever = 1e8
  math.randomseed(20261121)

  function delay()
    if not started then
      started, due = now_ms() + SETTLE_MS, 0
    end
    due = due - math.log(1 - math.random()) * 1000 / rate
    if due > last then
      return forever
    end
    return math.max(0, math.floor(started + due - now_ms() + 0.5))
  end

  -- Reading every answer is too dear at full load; here there is time for it
  function response(_, _, body)
    if not body:find("\nevent: response.completed\n", 1, true) then
      unfinished = unfinished + 1
    end
  end
end

function done(summary, latency, _)
  local errors = summary.errors
  local bad = 0
  for _, thread in ipairs(threads) do
    bad = bad + thread:get("unfinished")
  end
  io.write(string.format(
    '\nresult {"requests":%d,"durationUs":%d,"p50Us":%d,"p90Us":%d,"p99Us":%d,"p999Us":%d,' ..
      '"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,"unfinished":%d}}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(90), latency:percentile(99),
    latency:percentile(99.9), errors.connect, errors.read, errors.write, errors.status, errors.timeout, bad))
end
