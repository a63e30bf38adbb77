import { openArguments } from './callArguments.ts'
import { type RunEnding, SandboxProcess } from './childProcess.ts'
import { parseFetchRequest } from './guardedFetch.ts'
import type { ChildCommand } from './isolationLayers.ts'
import type { FetchRequest, FetchResponse, Job, RunResult } from './job.ts'
import { breachResult, createLogCollector, isShallow, parseResult, toRunError } from './runResult.ts'
import type { SandboxLimits } from './sandboxLimits.ts'

type CustomerFetch = (request: FetchRequest) => Promise<FetchResponse>

/** A run that waits for a child. */
type QueuedRun = {
  job: Job
  params: string
  resolve(result: RunResult): void
  logs: ReturnType<typeof createLogCollector>
  tries: number
}
type TeamProcesses = { processes: Set<SandboxProcess>; queue: QueuedRun[] }

const maxQueuedRuns = 1_000

/** Children by team: a child belongs to one team for its whole life. */
export class ProcessPool {
  readonly #command: ChildCommand
  readonly #limits: SandboxLimits
  readonly #fetch: CustomerFetch
  readonly #teams = new Map<string, TeamProcesses>()
  readonly #warm = new Set<SandboxProcess>()
  readonly #all = new Set<SandboxProcess>()
  readonly #sweep: NodeJS.Timeout
  #watch: NodeJS.Timeout | undefined
  #started = 0
  #isClosed = false

  constructor(command: ChildCommand, limits: SandboxLimits, fetch: CustomerFetch) {
    this.#command = command
    this.#limits = limits
    this.#fetch = fetch
    this.#sweep = setInterval(() => this.#tidy(), 1_000).unref()
    this.#refill()
  }

  run(job: Job): Promise<RunResult> {
    const params = isShallow(job.params, this.#limits.depth) ? JSON.stringify(job.params) : undefined
    if (params === undefined || Buffer.byteLength(params) > this.#limits.paramsBytes)
      return Promise.resolve(breachResult('params'))
    const team = this.#team(job.teamId)
    if (this.#isClosed || team.queue.length >= maxQueuedRuns)
      return Promise.resolve({ notRun: 'overloaded', message: 'Too many runs are waiting. Try again later.', logs: [] })
    return new Promise((resolve) => {
      team.queue.push({ job, params, resolve, logs: createLogCollector(job), tries: 0 })
      this.#pump(team)
    })
  }

  async close() {
    this.#isClosed = true
    clearInterval(this.#sweep)
    clearInterval(this.#watch)
    for (const process of this.#all) process.kill('died')
    await Promise.all([...this.#all].map((process) => process.ended))
    for (const { queue } of this.#teams.values())
      for (const { resolve } of queue.splice(0))
        resolve({ notRun: 'overloaded', message: 'The sandbox is closed.', logs: [] })
  }

  #team(teamId: string): TeamProcesses {
    const team = this.#teams.get(teamId) ?? { processes: new Set(), queue: [] }
    this.#teams.set(teamId, team)
    return team
  }

  #start(): SandboxProcess {
    const process = new SandboxProcess(this.#command(++this.#started), this.#limits)
    this.#all.add(process)
    void process.ended.then(() => {
      this.#all.delete(process)
      this.#warm.delete(process)
      this.#refill()
    })
    void process.waitUntilReady()
    return process
  }

  #refill() {
    while (!this.#isClosed && this.#warm.size < this.#limits.warmProcesses && this.#all.size < this.#limits.processes)
      this.#warm.add(this.#start())
  }

  /** Assigns queued runs to children while one is available. */
  #pump(team: TeamProcesses) {
    for (let item = team.queue[0]; item; item = team.queue[0]) {
      const process = this.#processFor(team, item.job.key)
      if (!process) break
      team.queue.shift()
      this.#startRun(team, process, item)
    }
    this.#watch ??= setInterval(() => this.#checkLimits(), this.#limits.watchMs)
  }

  /**
   * Prefers an idle child that has the code, then a child that runs the same code quickly, then another idle or a new
   * child.
   */
  #processFor(team: TeamProcesses, key: string): SandboxProcess | undefined {
    const processes = [...team.processes].filter((process) => !process.isOver && !this.#isOld(process))
    const idle = processes.filter(({ waiting }) => waiting === 0)
    const loaded = idle.find((process) => process.key === key)
    if (loaded) return loaded
    const isQuick = (process: SandboxProcess) =>
      process.key === key &&
      process.lastRunMs < this.#limits.quickMs &&
      process.currentRunMs(performance.now()) < this.#limits.slowMs
    const quick = processes.filter(isQuick)
    const free = quick.find(({ waiting }) => waiting < this.#limits.maxQueuedRuns)
    if (free || quick.length > 0) return free
    return idle[0] ?? (team.processes.size < this.#limits.teamProcesses ? this.#adopt(team) : undefined)
  }

  /** Assigns a warm child to the team. If all are in use, kills the child of another team that has been idle longest. */
  #adopt(team: TeamProcesses): SandboxProcess | undefined {
    const [warm] = this.#warm
    if (!warm && this.#all.size >= this.#limits.processes) {
      this.#idleProcesses()
        .toSorted((a, b) => a.idleSince - b.idleSince)[0]
        ?.kill('died')
      return undefined
    }
    const process = warm ?? this.#start()
    this.#warm.delete(process)
    team.processes.add(process)
    void process.ended.then(() => {
      team.processes.delete(process)
      this.#pumpAll()
    })
    this.#refill()
    return process
  }

  #idleProcesses = () =>
    [...this.#teams.values()].flatMap(({ processes }) => [...processes].filter(({ waiting }) => waiting === 0))

  #startRun(team: TeamProcesses, process: SandboxProcess, item: QueuedRun) {
    const { job, params, logs } = item
    const names = Object.keys(job.calls ?? {})
    const readArguments = openArguments(this.#limits)
    let fetches = 0
    const call = async (name: string, args: string): Promise<string> => {
      const values = readArguments(args)
      if (name === 'fetch') {
        if (++fetches > this.#limits.fetches)
          throw new Error(`A run can call fetch at most ${this.#limits.fetches} times`)
        return JSON.stringify(await (job.fetch ?? this.#fetch)(parseFetchRequest(values[0])))
      }
      if (!names.includes(name)) throw new Error('Function not found')
      return JSON.stringify((await job.calls![name]!(...values)) ?? null)
    }
    const end = (ending: RunEnding) => this.#end(team, item, ending, process)
    process.run(job, names, params, { log: logs.log, call, end })
  }

  #end(team: TeamProcesses, item: QueuedRun, ending: RunEnding, process: SandboxProcess) {
    const { job, resolve } = item
    const logs = item.logs.lines
    if ('notStarted' in ending) {
      if (this.#isClosed || ++item.tries > this.#limits.teamProcesses)
        resolve({ notRun: 'overloaded', message: 'Could not start a process for the run. Try again later.', logs })
      else team.queue.unshift(item)
    } else if ('breach' in ending)
      resolve({ ...breachResult(ending.breach, logs), ...(ending.isWaiting && { isWaiting: true }) })
    else if ('error' in ending) resolve({ error: toRunError(ending.error, job.secrets), logs })
    else {
      const value = parseResult(ending.result)
      if ('breach' in value) process.kill('output')
      resolve({ ...value, logs })
    }
    this.#pumpAll()
  }

  #pumpAll() {
    if (this.#isClosed) return
    for (const team of this.#teams.values()) if (team.queue.length > 0) this.#pump(team)
  }

  #isOld = ({ runs, startedAt }: SandboxProcess) =>
    runs >= this.#limits.maxRuns || performance.now() - startedAt > this.#limits.maxLifeMs

  /** Called every `watchMs` while any run is active. */
  #checkLimits() {
    const now = performance.now()
    let isBusy = false
    for (const process of this.#all) {
      process.enforceLimits(now)
      isBusy ||= process.waiting > 0
    }
    this.#pumpAll()
    if (isBusy) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** Called once a second. Kills children that are too old or idle for too long, and checks the limits of idle children. */
  #tidy() {
    const now = performance.now()
    for (const process of this.#all) process.enforceLimits(now)
    for (const process of this.#idleProcesses())
      if (this.#isOld(process) || now - process.idleSince > this.#limits.idleMs) process.kill('died')
    for (const [teamId, { processes, queue: waiting }] of this.#teams)
      if (processes.size === 0 && waiting.length === 0) this.#teams.delete(teamId)
  }
}
