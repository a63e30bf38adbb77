/** The limits of a run of a customer's code, in milliseconds and bytes. */
export const sandboxLimits = {
  wallMs: 5_000,
  /** The parent kills the child this long after `wallMs`. */
  graceMs: 250,
  /** Enforced inside the child, by ending the isolate. */
  softCpuMs: 500,
  hardCpuMs: 1_000,
  isolateMegabytes: 64,
  /** Resident memory of the whole child, polled every `watchMs`; it can exceed the limit between two polls. */
  residentBytes: 128 * 1024 * 1024,
  /** Memory that a child may map above its baseline after an empty run. The kernel enforces it where prlimit exists. */
  growthBytes: 64 * 1024 * 1024,
  codeBytes: 1024 * 1024,
  paramsBytes: 256 * 1024,
  resultBytes: 256 * 1024,
  depth: 32,
  fetches: 10,
  fetchMs: 5_000,
  fetchBytes: 1024 * 1024,
  calls: 100,
  logBytes: 16 * 1024,
  logLines: 256,
  /** The maximum length of a text that leaves the isolate, in characters. */
  textLength: 2 * 1024 * 1024,
  /** The maximum length of the arguments of a call other than `fetch`: the maximum body of events. */
  callLength: 1024 * 1024,
  /** The limits of the values in the arguments of one call and of all calls of a run, and of the length of all arguments. */
  callValues: 50_000,
  runValues: 200_000,
  runLength: 4 * 1024 * 1024,
  /** The maximum size of one message between parent and child. */
  frameBytes: 4 * 1024 * 1024,
  /** The maximum number of children of one team. Below: of all teams. */
  teamProcesses: 4,
  processes: 64,
  /** Children started in advance, without a team. */
  warmProcesses: 2,
  /** A child is replaced after this many runs or this time. */
  maxRuns: 20_000,
  maxLifeMs: 600_000,
  idleMs: 60_000,
  /** The maximum number of runs queued in one child. Only runs of quick scripts are queued. */
  maxQueuedRuns: 16,
  quickMs: 2,
  /** If the current run takes longer, further runs go to other children. */
  slowMs: 20,
  watchMs: 5,
} as const

export type SandboxLimits = { readonly [Name in keyof typeof sandboxLimits]: number }
