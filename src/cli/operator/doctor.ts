import { existsSync, statfsSync, statSync } from 'node:fs'
import type { DoctorFinding } from '#cli/operatorCall.ts'
import { environments } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { DatabaseReport } from '#kit/inspectDatabase.ts'
import { ownCommand } from '#kit/ownCommand.ts'
import { runCheck } from '#kit/runCheck.ts'
import type { MailReport } from '#mail/mailQueue.ts'
import { lockDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { callRunningServer } from '#runtime/operatorSocket.ts'
import { describeState, probeSandbox } from '#sandbox/sandbox.ts'
import type { Settings } from '#settings/settings.ts'

const dayMs = 86_400_000
/** Retention runs every hour, so a day of delay is an error. */
const retentionGraceMs = dayMs

const formatMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
const formatDays = (ms: number) => `${(ms / dayMs).toFixed(1)} days`

/** The size of a database, its reusable free space, and the age of its oldest event. Throws if retention lags. */
export function describeDatabaseSize(
  { bytes, freeBytes, oldestEventAt }: DatabaseReport,
  keepDays: number,
  now: number,
): string {
  const size = `${formatMegabytes(bytes)}, ${formatMegabytes(freeBytes)} free in it`
  if (oldestEventAt === undefined) return `${size}, no events`
  const ageMs = now - oldestEventAt
  const text = `${size}, oldest event ${formatDays(ageMs)} old`
  if (ageMs > keepDays * dayMs + retentionGraceMs)
    throw new Error(
      `${text}: retention is behind, or deliveries have waited longer (aglet delivery list --status pending)`,
    )
  return text
}

/** The free space on the disk. Throws below `minBytes`, because events will soon be refused. */
export function describeFreeDisk(path: string, minBytes = 1024 ** 3): string {
  const { bavail, bsize } = statfsSync(path)
  const text = `${formatMegabytes(bavail * bsize)} free`
  if (bavail * bsize < minBytes) throw new Error(`${text}: free some space, or lower AGLET_KEEP_JOURNAL_DAYS`)
  return text
}

/** Reports on database files that may be in use. Only main chooses the implementation. */
export type StorageInspectors = {
  inspectStore(path: string): Promise<DatabaseReport>
  inspectStream(path: string): Promise<DatabaseReport>
  /** Checks the database that several processes share, and its event shards. Changes nothing. */
  inspectShared?(options: SharedInspection): Promise<DoctorFinding[]>
}

type SharedInspection = { url: string; shardUrls?: readonly string[]; syncStandbys: number; clock: Clock }

export type DoctorOptions = EnvironmentStoreOptions & { inspectors: StorageInspectors }

function checkRootKey(path: string, { rootKey }: Settings): string {
  if (rootKey !== undefined) return 'set by AGLET_ROOT_KEY'
  if (!existsSync(path))
    throw new Error(
      `${path} is missing: put the root key of the backup there, or set AGLET_ROOT_KEY; without it nothing can be decrypted`,
    )
  const mode = statSync(path).mode & 0o777
  if (mode & 0o077) throw new Error(`other users can read ${path} (mode ${mode.toString(8)}): run chmod 400 on it`)
  return `mode ${mode.toString(8)}`
}

/** A report on a database; `maxAgeDays` is the longest retention of any row in it. */
type DatabaseCheck = { path: string; inspect(path: string): Promise<DatabaseReport>; maxAgeDays: number }

function databaseChecks({ dir, settings, inspectors }: DoctorOptions): DatabaseCheck[] {
  const { keepEventsDays, keepFailuresDays, keepJournalDays } = settings
  const { inspectStore, inspectStream } = inspectors
  return environments.flatMap((each) => [
    { path: dir.store(each), inspect: inspectStore, maxAgeDays: Math.max(keepJournalDays, keepFailuresDays) },
    { path: dir.stream(each), inspect: inspectStream, maxAgeDays: Math.max(keepEventsDays, keepFailuresDays) },
  ])
}

const checkDatabase = async ({ path, inspect }: DatabaseCheck) =>
  existsSync(path) ? `schema ${(await inspect(path)).schema}, write-ahead log` : 'not created yet'

/** Opens every file as a start does, which checks schemas, durability and the root key. */
async function checkEverythingOpens(options: EnvironmentStoreOptions): Promise<string> {
  const { dir, adapters, clock } = options
  const lock = lockDataDir(dir)
  if (!lock) throw new Error('another process uses the data directory and does not respond')
  try {
    for (const environment of environments.filter((each) => existsSync(dir.store(each)))) {
      const environmentStore = await openEnvironmentStore(environment, options)
      await environmentStore.store.close()
      if (existsSync(dir.stream(environment))) await (await adapters.openStream(dir.stream(environment), clock)).close()
    }
    return 'no server is running; everything can be decrypted'
  } finally {
    lock.release()
  }
}

/** Signs in to the SMTP server, and reports mails that the running server could not send. Sends nothing. */
async function checkMail({ dir, settings }: EnvironmentStoreOptions): Promise<string> {
  const { probeSmtp, smtpServerName, toSmtpServer } = await import('#mail/smtpClient.ts')
  const server = toSmtpServer(settings.smtpUrl!)
  const outcome = await callRunningServer(dir.socket, { command: 'mail', environment: 'production', input: {} })
  const report = outcome && 'result' in outcome ? (outcome.result as MailReport) : undefined
  const { lastFailure } = report ?? {}
  const failure =
    lastFailure && `; the last failure was at ${new Date(lastFailure.at).toISOString()}: ${lastFailure.message}`
  const counts =
    report &&
    `; since the start ${report.sent} sent, ${report.refused + report.failed} not sent, ${report.waiting} wait`
  const details = `${counts ?? ''}${failure ?? ''}`
  await probeSmtp(server).catch((error: Error) => {
    throw new Error(`${smtpServerName(server)} does not accept mail: ${error.message}${details}`)
  })
  return `${smtpServerName(server)} accepts mail${details}`
}

const mailFindings = async (options: EnvironmentStoreOptions): Promise<DoctorFinding[]> =>
  options.settings.smtpUrl === undefined ? [] : [await runCheck('mail', () => checkMail(options))]

type ServerReadiness = { ready: boolean; checks: Record<string, string> }

/** The readiness of the running server; undefined without one. */
async function readServerReadiness({ dir }: EnvironmentStoreOptions): Promise<ServerReadiness | undefined> {
  const outcome = await callRunningServer(dir.socket, { command: 'ready', environment: 'production', input: {} })
  if (outcome && 'refused' in outcome) throw new Error(outcome.refused.message)
  return outcome?.result as ServerReadiness | undefined
}

/** The isolation layers of customers' code: those of the running server, else those available to this process. */
async function checkSandbox(options: EnvironmentStoreOptions): Promise<string> {
  const reported = (await readServerReadiness(options).catch(() => undefined))?.checks.code
  if (reported && /^(ok|off): /.test(reported)) return reported
  const { acceptWeakSandbox: acceptWeak } = options.settings
  const fetch = () => Promise.reject(new Error('the doctor does not send requests'))
  return describeState((await probeSandbox({ acceptWeak, fetch })).state)
}

/** Checks the readiness of the running server; without one, whether a server could start. */
async function checkServer(options: EnvironmentStoreOptions): Promise<string> {
  const readiness = await readServerReadiness(options)
  if (!readiness) return checkEverythingOpens(options)
  const { ready, checks } = readiness
  const failing = Object.entries(checks).filter(([name, result]) => name !== 'code' && result !== 'ok')
  if (!ready) throw new Error(`running, not ready: ${failing.map((pair) => pair.join(': ')).join('; ')}`)
  return 'running and ready'
}

/** Checks one process of several: root key, sandbox, readiness, and the shared database. */
async function runSharedDoctor(options: DoctorOptions, url: string): Promise<DoctorFinding[]> {
  const { settings, clock, inspectors } = options
  const { streamUrl: shardUrls, syncStandbys } = settings
  const checkProcess = async () =>
    (await readServerReadiness(options)) ? checkServer(options) : 'no process runs on this data directory'
  return [
    await runCheck('root key', () => {
      if (settings.rootKey !== undefined) return 'set by AGLET_ROOT_KEY'
      throw new Error('AGLET_ROOT_KEY is missing: set it to the same key for all processes')
    }),
    await runCheck('customers’ code', () => checkSandbox(options)),
    await runCheck('server', checkProcess),
    ...(await mailFindings(options)),
    ...((await inspectors.inspectShared?.({ url, ...(shardUrls && { shardUrls }), syncStandbys, clock })) ?? []),
  ]
}

/** Checks a data directory, or the shared database, and the server on it; changes nothing. */
export async function runDoctor(options: DoctorOptions): Promise<DoctorFinding[]> {
  const { dir, settings } = options
  if (settings.databaseUrl !== undefined) return runSharedDoctor(options, settings.databaseUrl)
  if (!existsSync(dir.path))
    return [
      { name: 'data directory', ok: false, message: `${dir.path} does not exist: ${ownCommand} serve creates it` },
    ]
  const databases = databaseChecks(options)
  const now = options.clock.now()
  const findings = await Promise.all([
    runCheck('root key', () => checkRootKey(dir.rootKey, settings)),
    ...databases.map((each) => runCheck(each.path, () => checkDatabase(each))),
    ...databases
      .filter(({ path }) => existsSync(path))
      .map(({ path, inspect, maxAgeDays }) =>
        runCheck(`size of ${path}`, async () => describeDatabaseSize(await inspect(path), maxAgeDays, now)),
      ),
    runCheck('disk', () => describeFreeDisk(dir.path)),
    runCheck('customers’ code', () => checkSandbox(options)),
    runCheck('server', () => checkServer(options)),
  ])
  return [...findings, ...(await mailFindings(options))]
}
