import { clusterLaws } from './cluster.suite.ts'
import { openInProcessCluster } from './inProcess.ts'

clusterLaws('in process', async () => openInProcessCluster())
