/**
 * The maximum calls in flight of a channel (slow start and AIMD, as in TCP). Below the threshold the window doubles
 * with each round of answers, above it the window grows by one; a failure halves it.
 */
export type ConcurrencyWindow = { size: number; threshold: number; shrunkAt: number }

export const windowSizes = { initial: 16, min: 16, max: 256 }

export const initialWindow: ConcurrencyWindow = {
  size: windowSizes.initial,
  threshold: windowSizes.max,
  shrunkAt: Number.NEGATIVE_INFINITY,
}
/** The window after the vendor was down. */
export const slowStartWindow: ConcurrencyWindow = { ...initialWindow, size: 1, threshold: 64 }

/** The window after a good answer. It does not grow while less than half of it is used. */
export function growWindow(window: ConcurrencyWindow, inFlight: number): ConcurrencyWindow {
  const { size, threshold } = window
  if (size >= windowSizes.max || inFlight < size / 2) return window
  return { ...window, size: Math.min(windowSizes.max, size < threshold ? size + 1 : size + 1 / size) }
}

/** The window after a failure. Failures of calls that began before the last shrinking are ignored. */
export function shrinkWindow(
  window: ConcurrencyWindow,
  { startedAt, now }: { startedAt: number; now: number },
): ConcurrencyWindow {
  if (startedAt < window.shrunkAt) return window
  const size = Math.min(window.size, Math.max(windowSizes.min, window.size / 2))
  return { size, threshold: Math.max(size, windowSizes.min), shrunkAt: now }
}
