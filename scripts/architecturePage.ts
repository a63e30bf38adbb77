import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** A folder of src/ and its content, described for readers who look for the place of a change. */
const folders: readonly (readonly [names: string, holds: string])[] = [
  ['contract', 'schemas, faults and the table of operations: client, router, commands and reference are made from it'],
  ['kit', 'general tools without a word of the product: cipher, log lines, batcher, worker threads'],
  ['log', 'one append-only log: groups, segments, fences'],
  ['settings', 'settings and flags'],
  [
    'provider',
    '`form/`: what a provider file may say; `vendors/`: what several share; `engine/`: builds, sends and judges',
  ],
  ['providers', 'one file for each vendor, and its examples'],
  ['plugin, plugins', 'the same pair for what runs before the channels'],
  ['sandbox', 'the processes that run customers’ code'],
  [
    'stream',
    'accepted events until they are planned; `dedup/`: which ids were seen; adapters for files and PostgreSQL',
  ],
  ['store', 'what is kept, as interfaces with their laws (`*.suite.ts`); adapters `sqlite/`, `postgres/`'],
  [
    'postgres, cluster',
    'connections, schema, membership and slots of many processes; `shards/`: events on several databases',
  ],
  ['account, tag, script, policy, manifest, rule', 'one noun each: the rules of what a customer makes'],
  ['event, user, consent, geo, sources', 'one noun each: the rules of what a visitor sends'],
  ['journal, match, webhook, alert, limit', 'one noun each: results, match keys, runs of code, alerts, rates'],
  ['order, mail', 'orders of the shop beside their deliveries; e-mails of the server'],
  ['delivery', 'from a planned event to a result: planner, dispatcher, attempts, retries'],
  ['edge', 'the calls of a tag'],
  ['control', 'the operations of the API, one file for each noun'],
  ['http', 'server, faults to Error objects, sign-in pages, manual'],
  ['import', 'what other products export, as a configuration'],
  ['cli', 'commands over the API; `operator/`: commands on the data'],
  ['browser', 'the SDK and its adapters'],
  ['dashboard', 'pages over the API client'],
  ['runtime', 'builds what a role needs from the settings'],
]

const isSource = (path: string) => /\.(tsx?|css|sql)$/.test(path) && !/\.(test|suite|fixture)\./.test(path)
const linesOf = (path: string) => read(path).split('\n').length - 1
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
const inThousands = (lines: number) => Math.round(lines / 100) / 10

const filesOf = (names: string, paths: readonly string[]) =>
  paths.filter((path) => names.split(', ').includes(path.split('/')[1]!))

function figures(paths: readonly string[]): string {
  const journal = ['store', 'stream', 'postgres', 'delivery', 'journal', 'log']
  const own = paths.filter((path) => !path.startsWith('src/providers/'))
  const longest = paths.filter((path) => /\.tsx?$/.test(path)).sort((one, other) => linesOf(other) - linesOf(one))[0]!
  const steps = (page: string) => read(page).match(/^\| (?:\d+ \| )?[\w, ]+ \| \[`/gm)?.length ?? 0
  const rows: readonly (readonly [string, string, string])[] = [
    ['source, thousand lines', '108.3', `${inThousands(sum(paths.map(linesOf)))}`],
    ['… without the files of providers', '85.8', `${inThousands(sum(own.map(linesOf)))}`],
    [
      '… of store, stream, postgres, delivery, journal, log',
      '22.3',
      `${inThousands(sum(filesOf(journal.join(', '), paths).map(linesOf)))}`,
    ],
    ['source files', '1338', `${paths.length}`],
    ['… in `store/`', '170', `${filesOf('store', paths).length}`],
    ['longest file of code, lines', '300', `${linesOf(longest)}`],
    ['cycles of folders', '1, of 20 folders', '0'],
    ['steps from the request to the vendor’s answer', '12', `${steps('docs/event-journey.md')}`],
    ['steps from `POST /script` to the edge', '11', `${steps('docs/script-journey.md')}`],
  ]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Whether two versions of the page differ in more than figures, which change with each commit. */
export const differsInText = (one: string, other: string) => one.replace(/[\d.]+/g, '') !== other.replace(/[\d.]+/g, '')

export function architecturePage(): string {
  const paths = globSync('src/**/*', { cwd: root, exclude: ['**/node_modules/**'] }).filter(isSource)
  const unlisted = [...new Set(paths.map((path) => path.split('/')[1]!))].filter(
    (name) => !name.includes('.') && !folders.some(([names]) => names.split(', ').includes(name)),
  )
  if (unlisted.length > 0)
    throw new Error(`scripts/architecturePage.ts does not describe src/${unlisted.join(', src/')}`)
  const rows = folders.map(([names, holds]) => {
    const lines = inThousands(sum(filesOf(names, paths).map(linesOf)))
    return `| ${names
      .split(', ')
      .map((name) => `\`${name}/\``)
      .join(', ')} | ${holds} | ${lines} |`
  })
  return `# Architecture

For contributors. After this page you know which folder of \`src/\` to open.

Written by \`npm run docs\` from \`scripts/architecturePage.ts\`.

A folder is named after what it holds, and imports only folders that come before it in the order of
[\`test/walls.test.ts\`](../test/walls.test.ts). \`edge/\` and \`control/\` do not import each other: they share the deployed
snapshot of a tag ([\`script/snapshot.ts\`](../src/script/snapshot.ts)). Only \`main.ts\` chooses between files and PostgreSQL.

Two lists follow a request through these folders: [an event](event-journey.md), from the request to the vendor's answer, and
[a script](script-journey.md), from \`POST /script\` to the edge. Terms are in the [glossary](glossary.md), reasons in
[decisions](decisions/).

| folder | holds | thousand lines |
|---|---|---|
${rows.join('\n')}

## Where do I change …

| … | file |
|---|---|
| what happens when a vendor answers 429, for every vendor | [\`provider/engine/judgement.ts\`](../src/provider/engine/judgement.ts), \`defaultVerdict\` |
| the same for one vendor | its file in [\`providers/\`](../src/providers), \`responseRules\` |
| how long a channel waits after a 429 | [\`delivery/channelHealth.ts\`](../src/delivery/channelHealth.ts) |
| the columns of the list of deliveries | [\`dashboard/window/pages/deliveries/deliveriesPage.tsx\`](../src/dashboard/window/pages/deliveries/deliveriesPage.tsx) |
| when a delivery is tried again | [\`delivery/retrySchedule.ts\`](../src/delivery/retrySchedule.ts) |
| an operation of the API | [\`contract/operations.ts\`](../src/contract/operations.ts), then its function in [\`control/\`](../src/control) |
| an event that all vendors know | [\`contract/standardEvents.ts\`](../src/contract/standardEvents.ts) |
| a table | the adapter's \`migrations/\`, in [\`store/sqlite/\`](../src/store/sqlite) and [\`postgres/\`](../src/postgres) |
| a text of the dashboard | [\`dashboard/words/\`](../src/dashboard/words) |
| a setting | [\`settings/settings.ts\`](../src/settings/settings.ts) |

## Figures

Lines of \`.ts\`, \`.tsx\`, \`.css\` and \`.sql\` in \`src/\` without tests. Before: 23 November 2026, ahead of the logs of events
and results. New since then: moving in from four products, rules of channels, page adapters, TCF and GPP, apps.

| | before | now |
|---|---|---|
${figures(paths)}
`
}
