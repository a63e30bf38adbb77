import { spawn } from 'node:child_process'
import type { Breach, FromChild, ToChild } from './frames.ts'
import { readFrames, readFromChild } from './frames.ts'
import type { Job } from './job.ts'
import type { Limits } from './limits.ts'
import { openRunBudget, type RunBudget } from './runBudget.ts'
import { usageOf } from './usage.ts'
import type { Command } from './walls.ts'

const startMs = 10_000

/** What V8, the engine and C++ write before they abort because the kernel refused them memory. */
const outOfMemory = /out of memory|is_heap_oom|bad_alloc|Resource temporarily unavailable/i
/** Of what a child writes to its standard error, characters. */
const complaintLength = 65_536

/**
 * What is told while a run goes on, and how it ends. `notBegun`: the child ended before its turn came. `isWaiting`: when its
 * time was over it waited for an answer from outside.
 */
export type Told = {
  log(level: 'log' | 'error', text: string): void
  /** Gives the value as JSON. What it throws is told to the code by its message. */
  call(name: string, args: string): Promise<string>
  end(ended: Ending): void
}
type Done = Extract<FromChild, { is: 'done' }>
export type Ending = (Done & { isWaiting?: true }) | { notBegun: true }

/** `open`: calls that are not answered yet. */
type Turn = {
  id: number
  told: Told
  begunAt: number
  cpuMs: number | undefined
  open: number
  budget: RunBudget
}

const endingOf = (done: Done, { open }: Turn): Ending =>
  'breach' in done && done.breach === 'wall' && open > 0 ? { ...done, isWaiting: true } : done

/** One child process, seen from outside: it runs the code of one team, a run at a time, and can be killed at any moment. */
export class Cell {
  readonly bornAt: number
  readonly #process
  readonly #limits: Limits
  readonly #line: Turn[] = []
  readonly ready: Promise<boolean>
  readonly ended: Promise<void>
  /** Between runs: what code left running counts as well. */
  #rest: Pick<Turn, 'begunAt' | 'cpuMs'> = { begunAt: 0, cpuMs: undefined }
  #ids = 0
  #key: string | undefined
  #killedFor: Breach | undefined
  #isOver = false
  #isUp = false
  #complaint = ''
  /** How long the latest run took. */
  lastMs = Number.POSITIVE_INFINITY
  idleSince: number
  runs = 0

  constructor(command: ReturnType<Command>, limits: Limits) {
    this.#limits = limits
    this.bornAt = performance.now()
    this.idleSince = this.bornAt
    // detached: a signal for our own group must not reach it before we have let it end its run
    this.#process = spawn(command.program, command.args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {},
      cwd: '/',
      detached: true,
    })
    this.#process.stdin.on('error', () => {})
    this.#process.stderr.on('data', (chunk: Buffer) => {
      if (this.#complaint.length < complaintLength) this.#complaint += chunk.toString('latin1')
    })
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.ready = promise
    this.ended = new Promise((resolveEnd) => {
      const over = () => {
        resolve(false)
        this.#over()
        resolveEnd()
      }
      this.#process.once('close', over).once('error', over)
    })
    const take = (frame: unknown) => {
      const said = readFromChild(frame)
      if (said?.is === 'ready' && !this.#isUp) {
        this.#isUp = true
        resolve(true)
      } else if (said && said.is !== 'ready') this.#take(said)
      else this.kill('output')
    }
    readFrames(this.#process.stdout, limits.frameBytes, take, () => this.kill('output'))
  }

  /** Whether the child came up; one that has not after ten seconds is killed. */
  async isReady(): Promise<boolean> {
    const timer = setTimeout(() => this.kill('died'), startMs)
    const isUp = await this.ready
    clearTimeout(timer)
    return isUp
  }

  get pid() {
    return this.#process.pid
  }
  get isOver() {
    return this.#isOver || this.#killedFor !== undefined
  }
  get waiting() {
    return this.#line.length
  }
  get key() {
    return this.#key
  }

  /** Puts a run at the end of the line. The code goes ahead of it where the child has another. */
  run(job: Pick<Job, 'key' | 'code' | 'name' | 'shape'>, calls: readonly string[], params: string, told: Told) {
    if (this.#key !== job.key) this.#tell({ is: 'code', code: job.code, name: job.name })
    this.#key = job.key
    const id = this.#ids++
    this.#line.push({
      id,
      told,
      begunAt: performance.now(),
      cpuMs: undefined,
      open: 0,
      budget: openRunBudget(this.#limits),
    })
    this.#tell({ is: 'run', id, shape: job.shape, calls, params })
  }

  /** Kills the child when its run has used more than it may. For a watch that comes by many times a second. */
  watch(now: number) {
    if (this.isOver) return
    const turn = this.#line[0] ?? this.#rest
    if (turn !== this.#rest && now - turn.begunAt > this.#limits.wallMs + this.#limits.graceMs) return this.kill('wall')
    const usage = this.pid === undefined ? undefined : usageOf(this.pid)
    if (!usage) return
    turn.cpuMs ??= usage.cpuMs
    if (usage.residentBytes > this.#limits.residentBytes) this.kill('memory')
    else if (usage.cpuMs - turn.cpuMs > this.#limits.hardCpuMs) this.kill('cpu')
  }

  /** How long the run at the head of the line has been going on. */
  headMs(now: number) {
    const [turn] = this.#line
    return turn ? now - turn.begunAt : 0
  }

  kill(why: Breach) {
    this.#killedFor ??= why
    this.#process.kill('SIGKILL')
  }

  #tell(frame: ToChild) {
    if (this.#process.stdin.writable) this.#process.stdin.write(`${JSON.stringify(frame)}\n`)
  }

  #take(said: Exclude<FromChild, { is: 'ready' }>) {
    const [turn] = this.#line
    if (this.#killedFor) return
    // A child of ours speaks of the run that is on, and within its limits.
    if (!turn || said.id !== turn.id || !turn.budget.allows(said)) return this.kill('output')
    if (said.is === 'log') turn.told.log(said.level, said.text)
    else if (said.is === 'call') void this.#call(turn, said)
    else this.#done(turn, said)
  }

  async #call(turn: Turn, { call, name, args }: Extract<FromChild, { is: 'call' }>) {
    turn.open++
    try {
      this.#tell({ is: 'answer', call, value: await turn.told.call(name, args) })
    } catch (error) {
      this.#tell({ is: 'answer', call, error: (error as Error).message })
    }
    turn.open--
  }

  #done(turn: Turn, done: Done) {
    const now = performance.now()
    this.lastMs = now - turn.begunAt
    this.idleSince = now
    this.runs++
    this.#line.shift()
    const [next] = this.#line
    if (next) next.begunAt = now
    else this.#rest = { begunAt: now, cpuMs: undefined }
    if ('breach' in done) this.kill(done.breach)
    turn.told.end(endingOf(done, turn))
  }

  #over() {
    this.#isOver = true
    const [head, ...others] = this.#line.splice(0)
    // a child that was killed after it had ended a run had not yet begun the next
    const isAfterBreach = this.#killedFor !== undefined && head !== undefined && this.idleSince === head.begunAt
    const hasBegun = this.#isUp && !isAfterBreach // one that never came up has run nothing
    const breach = this.#killedFor ?? (outOfMemory.test(this.#complaint) ? 'memory' : 'died')
    head?.told.end(hasBegun ? endingOf({ is: 'done', id: head.id, breach }, head) : { notBegun: true })
    for (const { told } of others) told.end({ notBegun: true })
  }
}
