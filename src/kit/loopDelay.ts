const sampleMs = 250
const sampleCount = 3

/** A window over the last samples. `minimum` is 0 until the window is full. */
export function recentDelays(count = sampleCount) {
  const samples: number[] = []
  return {
    add(ms: number) {
      samples.push(Math.max(0, ms))
      if (samples.length > count) samples.shift()
    },
    minimum: () => (samples.length < count ? 0 : Math.min(...samples)),
  }
}

/** Measures every 250 ms how late a timer fires. Does not keep the process alive. */
export function watchLoopDelay(now: () => number = performance.now.bind(performance)) {
  const delays = recentDelays()
  let expected = now() + sampleMs
  const timer = setInterval(() => {
    delays.add(Math.round(now() - expected))
    expected = now() + sampleMs
  }, sampleMs)
  timer.unref()
  // the minimum of the last three samples, so that a single pause does not count
  return { ms: delays.minimum, stop: () => clearInterval(timer) }
}
