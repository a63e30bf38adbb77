import type { Job, RunResult } from './job.ts'
import { describeState, probeSandbox, type Sandbox, type SandboxOptions, type SandboxState } from './sandbox.ts'

/** Runs customers' code. Never throws for an error of the code. */
export type RunCode = (job: Job) => Promise<RunResult>

/**
 * The one sandbox of the server. The isolation layers are probed at the first query of the state, and the children
 * start with the first run, so a server without customers' code starts no process.
 */
export type SharedSandbox = {
  run: RunCode
  state(): Promise<SandboxState>
  /** The state as text without waiting; 'being found out' until the first probe is complete. */
  describe(): string
  close(): Promise<void>
}

export function createSharedSandbox(options: SandboxOptions): SharedSandbox {
  let probing: ReturnType<typeof probeSandbox> | undefined
  let opening: Promise<Sandbox> | undefined
  let isClosed = false
  let description = 'being found out'
  const probe = () => (probing ??= runProbe())
  async function runProbe() {
    const probed = await probeSandbox(options)
    description = describeState(probed.state)
    return probed
  }
  return {
    async run(job) {
      if (isClosed) return { notRun: 'overloaded', message: 'The sandbox is closed.', logs: [] }
      opening ??= probe().then(({ open }) => open())
      return (await opening).run(job)
    },
    state: async () => (await probe()).state,
    describe() {
      if (!isClosed) probe().catch((error: Error) => (description = `off: ${error.message}`))
      return description
    },
    async close() {
      isClosed = true
      await (await opening)?.close()
      await probing
    },
  }
}
