import { monitorEventLoopDelay } from "node:perf_hooks";

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

/** Between two samples of the delay. */
const RESOLUTION_MS = 20;
/** Length of the windows that the metric is about. */
export const EVENT_LOOP_WINDOW_MS = 5_000;
const NANOSECONDS_PER_SECOND = 1e9;

/** How late the host's event loop ran in one window, in seconds: what no lease may be lost to. */
export interface EventLoopDelay {
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

/** Measures the delay from its making to `close`. */
export interface EventLoopWatch {
  /** The last full window; undefined before the first one. */
  last(): EventLoopDelay | undefined;
  /** Ends the window that runs, and tells it too. */
  close(): void;
}

/** Watches the event loop of this thread; `onWindow` gets each window when it is over. It keeps no process alive. */
export function watchEventLoop(
  onWindow: (delay: EventLoopDelay) => void,
  windowMs: number = EVENT_LOOP_WINDOW_MS,
): EventLoopWatch {
  let last: EventLoopDelay | undefined;
  let histogram = begin();
  const end = (): void => {
    histogram.disable();
    if (histogram.count === 0) return;
    last = delayOf(histogram);
    onWindow(last);
  };
  const timer = setInterval(() => {
    // The next one begins first: a histogram that is reset loses the sample that is under way.
    const next = begin();
    end();
    histogram = next;
  }, windowMs);
  timer.unref();
  return {
    last: () => last,
    close() {
      clearInterval(timer);
      end();
    },
  };
}

function begin(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

/** Node records the whole time between two samples; what was asked for is no delay. */
function delayOf(histogram: IntervalHistogram): EventLoopDelay {
  const seconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / NANOSECONDS_PER_SECOND - RESOLUTION_MS / 1000);
  return {
    p50Seconds: seconds(histogram.percentile(50)),
    p99Seconds: seconds(histogram.percentile(99)),
    maxSeconds: seconds(histogram.max),
  };
}
