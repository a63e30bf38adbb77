/** The parts of a .cpuprofile that are read: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
type Place = { functionName: string; url: string; lineNumber: number }
export type Profile = {
  nodes: readonly { id: number; callFrame: Place }[]
  /** µs by the clock of process.hrtime */
  startTime: number
  samples: readonly number[]
  /** µs since the previous sample */
  timeDeltas: readonly number[]
}

/** The time of one function itself, without the functions that it calls. */
export type Self = { what: string; selfMs: number }

const idle = '(idle)'
const root = new URL('../', import.meta.url).href

function nameOf({ functionName, url, lineNumber }: Place): string {
  const name = functionName || '(anonymous)'
  return url === '' ? name : `${name}  ${url.replace(root, '')}:${lineNumber + 1}`
}

/** A time range (µs) by the clock of the profile: earlier samples are from the start of the process. */
export type Window = { fromUs: number; toUs: number }

/**
 * The functions of a thread within a window, most expensive first, and its total busy time. Waiting for the disk inside a
 * call counts as busy.
 */
export function functionsOf(
  { nodes, startTime, samples, timeDeltas }: Profile,
  { fromUs, toUs }: Window,
): { busyMs: number; all: Self[] } {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const selfMs = new Map<string, number>()
  let busyMs = 0
  let atUs = startTime
  for (const [at, id] of samples.entries()) {
    const place = places.get(id)!
    atUs += timeDeltas[at]!
    if (place.functionName === idle || atUs < fromUs || atUs > toUs) continue
    const ms = timeDeltas[at]! / 1_000
    busyMs += ms
    const what = nameOf(place)
    selfMs.set(what, (selfMs.get(what) ?? 0) + ms)
  }
  const all = [...selfMs].map(([what, ms]) => ({ what, selfMs: ms }))
  return { busyMs, all: all.sort((one, other) => other.selfMs - one.selfMs) }
}

/** Threads are identified by the file with which they start. */
const beginnings = [
  ['src/stream/log/streamIndex.thread.ts', 'index of the stream'],
  ['src/store/sqlite/fold/store.thread.ts', 'thread of the store'],
  ['src/main.ts', 'main thread'],
] as const

export function threadOf({ nodes }: Profile): string {
  const urls = new Set(nodes.map(({ callFrame }) => callFrame.url.replace(root, '')))
  return beginnings.find(([file]) => urls.has(file))?.[1] ?? 'another thread'
}
