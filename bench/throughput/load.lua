-- BENCH_RATE=<req/s> BENCH_SECONDS=<s> wrk -s load.lua <url> -- <folder with bodies> <key>
-- Requests are formatted once; during the run each costs wrk one table lookup.

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
    local headers = {
      ["authorization"] = "Bearer " .. key,
      ["content-type"] = "application/json",
      ["accept"] = "text/event-stream",
      ["user-agent"] = "svc-bench/1",
    }
    if session ~= "-" then
      headers["originator"] = "svc-bench"
      headers["session-id"] = session
      headers["thread-id"] = session
      headers["x-client-request-id"] = session
    end
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

-- With a rate: one schedule for all connections, each of which takes the next slot when it is free. A slow response delays
-- its own connection only, so this is an open loop until all connections wait. The gaps are random (exponential), because
-- agents do not send in step, and the same for both sides. wrk's timers are whole milliseconds, so requests due within one
-- leave together. All connections are opened before the first slot, so that no request pays for it. After the last slot
-- every connection is idle: nothing is cut off when wrk ends.
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
  local never = 1e8
  math.randomseed(20261121)

  function delay()
    if not started then
      started, due = now_ms() + SETTLE_MS, 0
    end
    due = due - math.log(1 - math.random()) * 1000 / rate
    if due > last then
      return never
    end
    return math.max(0, math.floor(started + due - now_ms() + 0.5))
  end

  -- Checking every response is too expensive at full load.
  function response(_, _, body)
    if not (body:find("\nevent: response.completed\n", 1, true) or body:find("\ndata: [DONE]\n", 1, true)) then
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
