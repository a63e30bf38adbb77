/**
 * How many calls of a channel are under way at once: as many as its vendor bears. Below the threshold it doubles with each
 * round of answers, above it grows by one; a failure halves it.
 */
export type Window = { size: number; threshold: number; shrunkAt: number }

export const sizes = { first: 16, least: 16, most: 256 }

export const firstWindow: Window = { size: sizes.first, threshold: sizes.most, shrunkAt: Number.NEGATIVE_INFINITY }
/** After a vendor was down it begins with one. */
export const slowStart: Window = { ...firstWindow, size: 1, threshold: 64 }

/** After an answer that was good; where the room was not used, more of it would tell nothing. */
export function grown(window: Window, inFlight: number): Window {
  const { size, threshold } = window
  if (size >= sizes.most || inFlight < size / 2) return window
  return { ...window, size: Math.min(sizes.most, size < threshold ? size + 1 : size + 1 / size) }
}

/** After a failure. Those that were begun before the last one count as the same. */
export function shrunk(window: Window, { begunAt, now }: { begunAt: number; now: number }): Window {
  if (begunAt < window.shrunkAt) return window
  const size = Math.min(window.size, Math.max(sizes.least, window.size / 2))
  return { size, threshold: Math.max(size, sizes.least), shrunkAt: now }
}
