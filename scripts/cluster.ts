import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type AgletProcesses, startAgletProcesses } from './cluster/agletProcesses.ts'
import { openClusterFolder, takeDown } from './cluster/clusterFolder.ts'
import { type DatabaseCluster, startDatabaseCluster } from './cluster/databaseCluster.ts'
import { type DrillParts, drillHelp, drillStatus, type Load, runDrillCommand, startLoad } from './cluster/drill.ts'
import { ensurePrograms } from './cluster/packages.ts'

/**
 * Starts a whole cluster on this machine: three PostgreSQL servers under Patroni, etcd, two edges, two workers, one
 * control, and events under way. It reads commands of a drill on its standard input. Ctrl-C stops and removes all.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    down: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    load: { type: 'string', default: '50' },
    'without-aglet': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const usage = `npm run cluster [-- options]
  --data FOLDER    where it keeps its files (a new folder in the temporary directory); it must be empty
  --without-aglet  the database alone
  --load N         events a second that are sent to the edges, in steps of 50 (50)
  --json           one JSON value a line, for programs
  --down           ends what an earlier run has left in --data, and deletes it

Commands on standard input:
${drillHelp}`
const write = (text: string) => void process.stdout.write(`${text}\n`)
const say = (text: string) => void (values.json ? process.stderr : process.stdout).write(`${text}\n`)

function describe(database: DatabaseCluster, folder: string, aglet: AgletProcesses | undefined, load?: Load): void {
  const url = database.url()
  if (values.json) {
    const processes = (aglet?.all ?? []).map(({ name, role, origin, data }) => ({ name, role, origin, data }))
    const { tagId, tagUrl, token, teamId } = load?.customer ?? {}
    write(JSON.stringify({ event: 'ready', folder, databaseUrl: url, processes, tagId, tagUrl, token, teamId }))
    return
  }
  write(`\nThe cluster is ready. Its files and logs: ${folder}\nAGLET_DATABASE_URL=${url}`)
  for (const { name, origin } of aglet?.all ?? []) write(`  ${name.padEnd(8)} ${origin}`)
  if (load) write(`\n${tryOut(load)}`)
  write(
    `\nCommands:\n${drillHelp}\n\nTry: kill primary, then status. Each accepted event is delivered; waiting becomes 0.\n`,
  )
}

const accessOf = ({ token, teamId }: Load['customer']) => `-H 'authorization: Bearer ${token}' -H 'team-id: ${teamId}'`

const tryOut = ({ customer }: Load) => `Send an event of your own:
  curl -s ${customer.tagUrl}/tag -H 'content-type: application/json' -H 'serviceuserid: me' \\
    -d '{"eventName":"PageView","eventId":"mine-1","timestamp":'$(date +%s000)',"storage":{"service":{"consent":{"all":true}}}}'
and read its journey:
  curl -s ${customer.baseUrl}/tag/${customer.tagId}/event/mine-1 ${accessOf(customer)}
Count the journal:
  curl -s ${customer.baseUrl}/tag/${customer.tagId}/funnel ${accessOf(customer)}`

/** Reads commands until `quit`. */
function readCommands(parts: DrillParts, quit: () => void): void {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', async (line) => {
    if (line.trim() === 'quit') return quit()
    if (line.trim() === '') return
    const answer = await runDrillCommand(line, parts).catch((error: Error) => ({ error: error.message }))
    write(values.json ? JSON.stringify({ event: 'answer', ...answer }) : toText(answer))
  })
}

/** A table for each list, and a line for the rest. */
function toText(answer: Record<string, unknown>): string {
  if (typeof answer.error === 'string') return answer.error
  return Object.entries(answer)
    .map(([name, value]) =>
      Array.isArray(value)
        ? `${name}\n${value.map((row) => `  ${Object.values(row as object).join('  ')}`).join('\n')}`
        : `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
    )
    .join('\n')
}

async function run(): Promise<void> {
  const programs = ensurePrograms(say)
  const ended = Promise.withResolvers<void>()
  const folder = openClusterFolder(values.data)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve())
  try {
    say('Starting etcd and three PostgreSQL servers …')
    const parts = await Promise.race([startParts(folder, programs), ended.promise])
    if (!parts) return
    describe(parts.database, folder.path, parts.aglet, parts.load)
    readCommands(parts, ended.resolve)
    await ended.promise
    const { load } = await drillStatus(parts)
    if (load) write(values.json ? JSON.stringify({ event: 'ended', load }) : toText({ load }))
    await parts.load?.stop()
  } finally {
    say('Stopping, and removing all files …')
    await folder.remove()
  }
}

async function startParts(
  folder: ReturnType<typeof openClusterFolder>,
  programs: ReturnType<typeof ensurePrograms>,
): Promise<DrillParts> {
  const database = await startDatabaseCluster({ folder, programs })
  if (values['without-aglet']) return { database, aglet: undefined, load: undefined }
  say('Starting one control, two edges and two workers …')
  const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' }
  const aglet = await startAgletProcesses({ folder, databaseUrl: () => database.url(), environment })
  return { database, aglet, load: await startLoad(aglet, Number(values.load)) }
}

if (values.help) write(usage)
else if (values.down && values.data === undefined) {
  process.stderr.write('--down needs the folder of the cluster: --data FOLDER\n')
  process.exitCode = 2
} else if (values.down) await takeDown(values.data!)
else
  await run().then(
    () => process.exit(),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`)
      process.exit(1)
    },
  )
