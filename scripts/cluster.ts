import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { startAgletProcesses } from './cluster/agletProcesses.ts'
import { openClusterFolder, takeDown } from './cluster/clusterFolder.ts'
import { type DatabaseCluster, startDatabaseCluster } from './cluster/databaseCluster.ts'
import { type DrillParts, drillHelp, drillStatus, type Load, runDrillCommand, startLoads } from './cluster/drill.ts'
import { ensurePrograms } from './cluster/packages.ts'
import { type ShardServer, startShardServer } from './cluster/shardServer.ts'

/**
 * Starts a whole cluster on this machine: three PostgreSQL servers under Patroni, etcd, two edges, two workers, one
 * control, and a load of events. It reads commands of a drill from standard input. Ctrl-C stops and removes everything.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    down: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    load: { type: 'string', default: '50' },
    shards: { type: 'string', default: '1' },
    'without-aglet': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const usage = `npm run cluster [-- options]
  --data FOLDER    where it keeps its files (a new folder in the temporary directory); it must be empty
  --without-aglet  the database alone
  --load N         events a second that are sent to the edges, in steps of 50, on each event shard (50)
  --shards N       so many event shards (1): the database itself, and further servers with a standby each
  --json           one JSON value a line, for programs
  --down           ends what an earlier run has left in --data, and deletes it

Commands on standard input:
${drillHelp}`
const shardCount = Number(values.shards)
const streamUrlOf = (database: DatabaseCluster, shards: readonly ShardServer[]) =>
  [database.url(), ...shards.map(({ url }) => url)].join(' ')
const write = (text: string) => void process.stdout.write(`${text}\n`)
const say = (text: string) => void (values.json ? process.stderr : process.stdout).write(`${text}\n`)

function describe({ database, shards, aglet, loads }: DrillParts, folder: string): void {
  const url = database.url()
  const [load] = loads
  const streamUrl = shards.length > 0 ? streamUrlOf(database, shards) : undefined
  if (values.json) {
    const processes = (aglet?.all ?? []).map(({ name, role, origin, data }) => ({ name, role, origin, data }))
    const { tagId, tagUrl, token, teamId } = load?.customer ?? {}
    write(
      JSON.stringify({ event: 'ready', folder, databaseUrl: url, streamUrl, processes, tagId, tagUrl, token, teamId }),
    )
    return
  }
  write(`\nThe cluster is ready. Its files and logs: ${folder}\nAGLET_DATABASE_URL=${url}`)
  if (streamUrl) write(`AGLET_STREAM_URL=${streamUrl}`)
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

/** A table for each list, and a line for every other value. */
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
    describe(parts, folder.path)
    readCommands(parts, ended.resolve)
    await ended.promise
    const { database: _, processes, shards, ...loads } = await drillStatus(parts)
    if (parts.loads.length > 0) write(values.json ? JSON.stringify({ event: 'ended', ...loads }) : toText(loads))
    await Promise.all(parts.loads.map((each) => each.stop()))
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
  const shards: ShardServer[] = []
  for (let n = 1; n < shardCount; n++) {
    say(`Starting event shard ${n} …`)
    shards.push(await startShardServer({ folder, programs, name: `shard${n}` }))
  }
  const parts = { database, shards, aglet: undefined, loads: [] }
  if (values['without-aglet']) return parts
  say('Starting one control, two edges and two workers …')
  const environment = {
    AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
    ...(shards.length > 0 && { AGLET_STREAM_URL: streamUrlOf(database, shards) }),
  }
  const aglet = await startAgletProcesses({ folder, databaseUrl: () => database.url(), environment })
  const started = { ...parts, aglet }
  return { ...started, loads: await startLoads(started, Number(values.load)) }
}

if (values.help) write(usage)
else if (!/^[1-9]$/.test(values.shards)) {
  process.stderr.write(`--shards ${values.shards}: give a number from 1 to 9\n`)
  process.exitCode = 2
} else if (values.down && values.data === undefined) {
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
