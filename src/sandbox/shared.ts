import type { Job, Ran } from './job.ts'
import { probeSandbox, type Sandbox, type SandboxOptions, type SandboxState, tellState } from './sandbox.ts'

/** Runs customers' code; never throws for what the code does. */
export type RunCode = (job: Job) => Promise<Ran>

/**
 * The one sandbox of a process. Its walls are found out when they are first asked for, its children start with the first
 * run: a server without customers' code has neither.
 */
export type SharedSandbox = {
  run: RunCode
  state(): Promise<SandboxState>
  /** The state in words, at once: the first to ask is told that it is being found out. */
  says(): string
  close(): Promise<void>
}

export function shareSandbox(options: SandboxOptions): SharedSandbox {
  let probing: ReturnType<typeof probeSandbox> | undefined
  let opening: Promise<Sandbox> | undefined
  let isClosed = false
  let told = 'being found out'
  const probe = () => (probing ??= look())
  async function look() {
    const probed = await probeSandbox(options)
    told = tellState(probed.state)
    return probed
  }
  return {
    async run(job) {
      if (isClosed) return { notRun: 'overloaded', message: 'The sandbox is closed.', logs: [] }
      opening ??= probe().then(({ open }) => open())
      return (await opening).run(job)
    },
    state: async () => (await probe()).state,
    says() {
      if (!isClosed) probe().catch((error: Error) => (told = `off: ${error.message}`))
      return told
    },
    async close() {
      isClosed = true
      await (await opening)?.close()
      await probing
    },
  }
}
