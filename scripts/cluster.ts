import { parseArgs } from 'node:util'
import { openClusterFolder, takeDown } from './cluster/clusterFolder.ts'
import { startDatabaseCluster } from './cluster/databaseCluster.ts'
import { ensurePrograms } from './cluster/packages.ts'

const { values } = parseArgs({ options: { down: { type: 'boolean' }, data: { type: 'string' } } })
if (values.down) await takeDown(values.data!)
else {
  const t = performance.now()
  const programs = ensurePrograms(console.error)
  const folder = openClusterFolder(values.data)
  console.log(folder.path)
  const cluster = await startDatabaseCluster({ folder, programs })
  console.log(performance.now() - t, cluster.url(), await cluster.status())
  await new Promise((r) => process.once('SIGINT', r))
  await folder.remove()
}
