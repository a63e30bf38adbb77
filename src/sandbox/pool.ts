import { Cell, type Ending } from './cell.ts'
import { readFetch } from './fetch.ts'
import type { FetchAnswer, FetchRequest, Job, Ran } from './job.ts'
import type { Limits } from './limits.ts'
import { breachOf, errorOf, gatherLogs, isShallow, readValue } from './told.ts'
import type { Command } from './walls.ts'

type Fetch = (request: FetchRequest) => Promise<FetchAnswer>

/** A run that waits for a child. */
type Item = {
  job: Job
  params: string
  resolve(ran: Ran): void
  gathered: ReturnType<typeof gatherLogs>
  tries: number
}
type Team = { cells: Set<Cell>; waiting: Item[] }

const mostWaiting = 1_000

/** Children by team: a child belongs to one team for its life. */
export class Pool {
  readonly #command: Command
  readonly #limits: Limits
  readonly #fetch: Fetch
  readonly #teams = new Map<string, Team>()
  readonly #warm = new Set<Cell>()
  readonly #all = new Set<Cell>()
  readonly #sweep: NodeJS.Timeout
  #watch: NodeJS.Timeout | undefined
  #started = 0
  #isClosed = false

  constructor(command: Command, limits: Limits, fetch: Fetch) {
    this.#command = command
    this.#limits = limits
    this.#fetch = fetch
    this.#sweep = setInterval(() => this.#tidy(), 1_000).unref()
    this.#refill()
  }

  run(job: Job): Promise<Ran> {
    const params = isShallow(job.params, this.#limits.depth) ? JSON.stringify(job.params) : undefined
    if (params === undefined || Buffer.byteLength(params) > this.#limits.paramsBytes)
      return Promise.resolve(breachOf('params'))
    const team = this.#team(job.teamId)
    if (this.#isClosed || team.waiting.length >= mostWaiting)
      return Promise.resolve({ notRun: 'overloaded', message: 'Too much waits to be run.', logs: [] })
    return new Promise((resolve) => {
      team.waiting.push({ job, params, resolve, gathered: gatherLogs(job), tries: 0 })
      this.#pump(team)
    })
  }

  async close() {
    this.#isClosed = true
    clearInterval(this.#sweep)
    clearInterval(this.#watch)
    for (const cell of this.#all) cell.kill('died')
    await Promise.all([...this.#all].map((cell) => cell.ended))
    for (const { waiting } of this.#teams.values())
      for (const { resolve } of waiting.splice(0))
        resolve({ notRun: 'overloaded', message: 'The sandbox is closed.', logs: [] })
  }

  #team(teamId: string): Team {
    const team = this.#teams.get(teamId) ?? { cells: new Set(), waiting: [] }
    this.#teams.set(teamId, team)
    return team
  }

  #start(): Cell {
    const cell = new Cell(this.#command(++this.#started), this.#limits)
    this.#all.add(cell)
    void cell.ended.then(() => {
      this.#all.delete(cell)
      this.#warm.delete(cell)
      this.#refill()
    })
    void cell.isReady()
    return cell
  }

  #refill() {
    while (!this.#isClosed && this.#warm.size < this.#limits.warm && this.#all.size < this.#limits.cells)
      this.#warm.add(this.#start())
  }

  /** Hands runs that wait to children, as long as there is one that may take them. */
  #pump(team: Team) {
    for (let item = team.waiting[0]; item; item = team.waiting[0]) {
      const cell = this.#cellFor(team, item.job.key)
      if (!cell) break
      team.waiting.shift()
      this.#begin(team, cell, item)
    }
    this.#watch ??= setInterval(() => this.#look(), this.#limits.watchMs)
  }

  /** An idle child, best one that has the code; else behind a quick run of the same code; else a new one. */
  #cellFor(team: Team, key: string): Cell | undefined {
    const cells = [...team.cells].filter((cell) => !cell.isOver && !this.#isOld(cell))
    const idle = cells.filter(({ waiting }) => waiting === 0)
    const known = idle.find((cell) => cell.key === key)
    if (known) return known
    const isQuick = (cell: Cell) =>
      cell.key === key && cell.lastMs < this.#limits.quickMs && cell.headMs(performance.now()) < this.#limits.slowMs
    const quick = cells.filter(isQuick)
    const free = quick.find(({ waiting }) => waiting < this.#limits.depthOfLine)
    if (free || quick.length > 0) return free
    return idle[0] ?? (team.cells.size < this.#limits.teamCells ? this.#adopt(team) : undefined)
  }

  /** A warm child becomes the team's. Where all are in use, one that idles elsewhere makes room. */
  #adopt(team: Team): Cell | undefined {
    const [warm] = this.#warm
    if (!warm && this.#all.size >= this.#limits.cells) {
      this.#idleCells()
        .toSorted((a, b) => a.idleSince - b.idleSince)[0]
        ?.kill('died')
      return undefined
    }
    const cell = warm ?? this.#start()
    this.#warm.delete(cell)
    team.cells.add(cell)
    void cell.ended.then(() => {
      team.cells.delete(cell)
      this.#pumpAll()
    })
    this.#refill()
    return cell
  }

  #idleCells = () => [...this.#teams.values()].flatMap(({ cells }) => [...cells].filter(({ waiting }) => waiting === 0))

  #begin(team: Team, cell: Cell, item: Item) {
    const { job, params, gathered } = item
    const names = Object.keys(job.calls ?? {})
    let fetches = 0
    const call = async (name: string, args: string): Promise<string> => {
      const values = JSON.parse(args) as unknown
      // The list of arguments and a list of events in it are no levels of an event.
      if (!Array.isArray(values) || !isShallow(values, this.#limits.depth + 2))
        throw new Error(`What a call is given may be nested ${this.#limits.depth} levels deep`)
      if (name === 'fetch') {
        if (++fetches > this.#limits.fetches) throw new Error(`A run may fetch at most ${this.#limits.fetches} times`)
        return JSON.stringify(await (job.fetch ?? this.#fetch)(readFetch(values[0])))
      }
      if (!names.includes(name)) throw new Error('There is no such call')
      return JSON.stringify((await job.calls![name]!(...(values as unknown[]))) ?? null)
    }
    const end = (ended: Ending) => this.#end(team, item, ended, cell)
    cell.run(job, names, params, { log: gathered.log, call, end })
  }

  #end(team: Team, item: Item, ended: Ending, cell: Cell) {
    const { job, resolve, gathered } = item
    const logs = gathered.lines
    if ('notBegun' in ended) {
      if (this.#isClosed || ++item.tries > this.#limits.teamCells)
        resolve({ notRun: 'overloaded', message: 'No process could be had to run it in.', logs })
      else team.waiting.unshift(item)
    } else if ('breach' in ended)
      resolve({ ...breachOf(ended.breach, logs), ...(ended.isWaiting && { isWaiting: true }) })
    else if ('error' in ended) resolve({ error: errorOf(ended.error, job.secrets), logs })
    else {
      const value = readValue(ended.result)
      if ('breach' in value) cell.kill('output')
      resolve({ ...value, logs })
    }
    this.#pumpAll()
  }

  #pumpAll() {
    if (this.#isClosed) return
    for (const team of this.#teams.values()) if (team.waiting.length > 0) this.#pump(team)
  }

  #isOld = ({ runs, bornAt }: Cell) => runs >= this.#limits.runs || performance.now() - bornAt > this.#limits.lifeMs

  /** Many times a second while anything runs. */
  #look() {
    const now = performance.now()
    let isBusy = false
    for (const cell of this.#all) {
      cell.watch(now)
      isBusy ||= cell.waiting > 0
    }
    this.#pumpAll()
    if (isBusy) return
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** Once a second: children that are old or have idled long enough go; what idles is looked at too. */
  #tidy() {
    const now = performance.now()
    for (const cell of this.#all) cell.watch(now)
    for (const cell of this.#idleCells())
      if (this.#isOld(cell) || now - cell.idleSince > this.#limits.idleMs) cell.kill('died')
    for (const [teamId, { cells, waiting }] of this.#teams)
      if (cells.size === 0 && waiting.length === 0) this.#teams.delete(teamId)
  }
}
