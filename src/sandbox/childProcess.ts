import { spawn } from 'node:child_process'
import type { ChildMessage, LimitBreach, ParentMessage } from './frames.ts'
import { parseChildMessage, readFrames } from './frames.ts'
import type { ChildCommand } from './isolationLayers.ts'
import type { Job } from './job.ts'
import { readProcessUsage } from './processUsage.ts'
import { openRunBudget, type RunBudget } from './runBudget.ts'
import type { SandboxLimits } from './sandboxLimits.ts'

const startMs = 10_000

/** The messages of V8, the engine and C++ before they abort because the kernel refused memory. */
const outOfMemory = /out of memory|is_heap_oom|bad_alloc|Resource temporarily unavailable/i
/** The maximum stored length of a child's standard error, in characters. */
const maxErrorOutputLength = 65_536

/**
 * Callbacks of a run. `notStarted`: the child ended before the run started. `isWaiting`: the run exceeded its wall time
 * while a call was open.
 */
type RunListener = {
  log(level: 'log' | 'error', text: string): void
  /** Resolves with the value as JSON. An error is passed to the code by its message. */
  call(name: string, args: string): Promise<string>
  end(ending: RunEnding): void
}
type DoneMessage = Extract<ChildMessage, { is: 'done' }>
export type RunEnding = (DoneMessage & { isWaiting?: true }) | { notStarted: true }

/** `openCalls`: the number of calls without an answer. */
type ActiveRun = {
  id: number
  listener: RunListener
  startedAt: number
  cpuMs: number | undefined
  openCalls: number
  budget: RunBudget
}

const toRunEnding = (done: DoneMessage, { openCalls }: ActiveRun): RunEnding =>
  'breach' in done && done.breach === 'wall' && openCalls > 0 ? { ...done, isWaiting: true } : done

/** One child process, seen from the parent. It runs the code of one team in sequence and can be killed at any time. */
export class SandboxProcess {
  readonly startedAt: number
  readonly #process
  readonly #limits: SandboxLimits
  readonly #queue: ActiveRun[] = []
  readonly ready: Promise<boolean>
  readonly ended: Promise<void>
  /** The CPU time between runs, which code of an earlier run may still use. */
  #betweenRuns: Pick<ActiveRun, 'startedAt' | 'cpuMs'> = { startedAt: 0, cpuMs: undefined }
  #ids = 0
  #key: string | undefined
  #killedFor: LimitBreach | undefined
  #isOver = false
  /** Whether it was killed for the result of a run. Then it has not started the next one in its queue. */
  #isKilledForResult = false
  #isUp = false
  #hasPermissionModel = false
  #errorOutput = ''
  /** The duration of the latest run. */
  lastRunMs = Number.POSITIVE_INFINITY
  idleSince: number
  runs = 0

  constructor(command: ReturnType<ChildCommand>, limits: SandboxLimits) {
    this.#limits = limits
    this.startedAt = performance.now()
    this.idleSince = this.startedAt
    // detached: a signal to the server's process group must not end the child before its run
    this.#process = spawn(command.program, command.args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {},
      cwd: '/',
      detached: true,
    })
    this.#process.stdin.on('error', () => {})
    this.#process.stderr.on('data', (chunk: Buffer) => {
      if (this.#errorOutput.length < maxErrorOutputLength) this.#errorOutput += chunk.toString('latin1')
    })
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.ready = promise
    this.ended = new Promise((resolveEnd) => {
      const handleExit = () => {
        resolve(false)
        this.#handleExit()
        resolveEnd()
      }
      this.#process.once('close', handleExit).once('error', handleExit)
    })
    const handleFrame = (frame: unknown) => {
      const message = parseChildMessage(frame)
      if (message?.is === 'ready' && !this.#isUp) {
        this.#isUp = true
        this.#hasPermissionModel = message.permission
        resolve(true)
      } else if (message && message.is !== 'ready') this.#handleMessage(message)
      else this.kill('output')
    }
    readFrames(this.#process.stdout, limits.frameBytes, handleFrame, () => this.kill('output'))
  }

  /** Whether the child became ready. A child that is not ready after ten seconds is killed. */
  async waitUntilReady(): Promise<boolean> {
    const timer = setTimeout(() => this.kill('died'), startMs)
    const isUp = await this.ready
    clearTimeout(timer)
    return isUp
  }

  /** Whether Node's permission model restricts the child, as the child reported when it became ready. */
  get hasPermissionModel() {
    return this.#hasPermissionModel
  }
  get pid() {
    return this.#process.pid
  }
  get isOver() {
    return this.#isOver || this.#killedFor !== undefined
  }
  get waiting() {
    return this.#queue.length
  }
  get key() {
    return this.#key
  }

  /** Appends a run to the queue. Sends the run's code first if the child has other code. */
  run(
    job: Pick<Job, 'key' | 'code' | 'name' | 'resultKind'>,
    calls: readonly string[],
    params: string,
    listener: RunListener,
  ) {
    if (this.#key !== job.key) this.#send({ is: 'code', code: job.code, name: job.name })
    this.#key = job.key
    const id = this.#ids++
    this.#queue.push({
      id,
      listener,
      startedAt: performance.now(),
      cpuMs: undefined,
      openCalls: 0,
      budget: openRunBudget(this.#limits),
    })
    this.#send({ is: 'run', id, resultKind: job.resultKind, calls, params })
  }

  /**
   * Kills the child when its run exceeds a limit. Called every `watchMs`, by a timer: the child's earlier messages are read
   * before the kill, because what the next run uses must not end a run that is over.
   */
  enforceLimits(now: number) {
    if (this.isOver) return
    const current = this.#current()
    const breach = this.#breachOf(current, now)
    if (breach) setImmediate(() => this.#current() === current && this.kill(breach))
  }

  #current = () => this.#queue[0] ?? this.#betweenRuns

  #breachOf(current: Pick<ActiveRun, 'startedAt' | 'cpuMs'>, now: number): LimitBreach | undefined {
    const { wallMs, graceMs, residentBytes, hardCpuMs } = this.#limits
    if (current !== this.#betweenRuns && now - current.startedAt > wallMs + graceMs) return 'wall'
    const usage = this.pid === undefined ? undefined : readProcessUsage(this.pid)
    if (!usage) return undefined
    current.cpuMs ??= usage.cpuMs
    if (usage.residentBytes > residentBytes) return 'memory'
    return usage.cpuMs - current.cpuMs > hardCpuMs ? 'cpu' : undefined
  }

  /** How long the first run in the queue has taken so far. 0 if there is none. */
  currentRunMs(now: number) {
    const [current] = this.#queue
    return current ? now - current.startedAt : 0
  }

  kill(breach: LimitBreach) {
    this.#killedFor ??= breach
    this.#process.kill('SIGKILL')
  }

  #send(frame: ParentMessage) {
    if (this.#process.stdin.writable) this.#process.stdin.write(`${JSON.stringify(frame)}\n`)
  }

  #handleMessage(message: Exclude<ChildMessage, { is: 'ready' }>) {
    const [current] = this.#queue
    if (this.#killedFor) return
    // A message for another run or beyond the limits means that the code has escaped its isolate.
    if (!current || message.id !== current.id || !current.budget.allows(message)) return this.kill('output')
    if (message.is === 'log') current.listener.log(message.level, message.text)
    else if (message.is === 'call') void this.#call(current, message)
    else this.#done(current, message)
  }

  async #call(current: ActiveRun, { call, name, args }: Extract<ChildMessage, { is: 'call' }>) {
    current.openCalls++
    try {
      this.#send({ is: 'answer', call, value: await current.listener.call(name, args) })
    } catch (error) {
      this.#send({ is: 'answer', call, error: (error as Error).message })
    }
    current.openCalls--
  }

  #done(current: ActiveRun, done: DoneMessage) {
    const now = performance.now()
    this.lastRunMs = now - current.startedAt
    this.idleSince = now
    this.runs++
    this.#queue.shift()
    const [next] = this.#queue
    if (next) next.startedAt = now
    else this.#betweenRuns = { startedAt: now, cpuMs: undefined }
    if ('breach' in done) this.kill(done.breach)
    current.listener.end(toRunEnding(done, current))
    this.#isKilledForResult = this.isOver
  }

  #handleExit() {
    this.#isOver = true
    const [head, ...others] = this.#queue.splice(0)
    const hasStarted = this.#isUp && !this.#isKilledForResult // a child that never became ready has run nothing
    const breach = this.#killedFor ?? (outOfMemory.test(this.#errorOutput) ? 'memory' : 'died')
    head?.listener.end(hasStarted ? toRunEnding({ is: 'done', id: head.id, breach }, head) : { notStarted: true })
    for (const { listener } of others) listener.end({ notStarted: true })
  }
}
