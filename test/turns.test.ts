import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/**
 * Every place where work of several teams shares a queue or a lock, and how it keeps one team from delaying the others. Each
 * test in the last column fails if a team can do so.
 */
const turns: Record<string, [how: string, shownBy: string]> = {
  'src/alert/alertNotifier.ts': ['teamTurns: two writes of a team at once', 'src/alert/alertNotifier.test.ts'],
  'src/alert/sendNotifications.ts': [
    'teamTurns: four sendings of a team, two of an address',
    'src/alert/alertNotifier.test.ts',
  ],
  'src/alert/alertWatch.ts': [
    'teamTurns: the rules of one team at once, four sendings of a team',
    'src/alert/alertWatch.test.ts',
  ],
  'src/alert/sendIncidents.ts': [
    'teamTurns of alertWatch: one message to a contact point',
    'src/alert/alertWatch.test.ts',
  ],
  'src/script/hook.ts': [
    'fairQueue: ten calls of deploy hooks of a team, four of an address',
    'src/script/hook.test.ts',
  ],
  'src/delivery/replayRunner.ts': ['one slice of each team in a round', 'src/delivery/replayTurns.test.ts'],
  'src/delivery/expireJournal.ts': ['four slices of each team in a round', 'src/delivery/expireJournal.test.ts'],
  'src/order/maintainOrders.ts': ['four slices of each team in a round', 'src/delivery/expireJournal.test.ts'],
  'src/user/expireUsers.ts': ['four slices of each team in a round', 'src/user/expireUsers.test.ts'],
  'src/mail/mailQueue.ts': [
    'fairQueue: two mails of a team or person at once, with places of their own',
    'src/mail/mail.test.ts',
  ],
  'src/tag/hostProofs.ts': ['fairQueue: four look-ups of a team, sixteen in a round', 'src/tag/hostProofs.test.ts'],
  'src/account/password.ts': ['fairQueue: addresses and persons take turns', 'src/account/signInMethods.test.ts'],
  'src/sandbox/processPool.ts': ['four processes of a team, queues by team', 'src/sandbox/sandbox.test.ts'],
  'src/sandbox/parseCode.ts': ['fairQueue: one process of a team at once', 'src/sandbox/parseCode.test.ts'],
  'src/kit/queryPool.ts': ['queries of a team, and teams in turns', 'src/kit/queryPool.test.ts'],
  'src/store/sqlite/queryThreads.ts': ['queryPool: also the pages of exports', 'src/kit/queryPool.test.ts'],
  'src/store/postgres/queries.ts': ['queryPool: also the pages of exports', 'src/kit/queryPool.test.ts'],
  'src/limit/fairShare.ts': ['a share of the main thread for each team', 'src/limit/fairShare.test.ts'],
  'src/edge/edge.ts': ['eight readings of shops of a team at once', 'src/edge/otherShops.test.ts'],
  'src/limit/intakeRate.ts': ['a rate of each team and tag', 'src/limit/intakeRate.test.ts'],
  'src/control/searchSlots.ts': [
    'one search or export of a team at once, with rests',
    'src/control/searchSlots.test.ts',
  ],
  'src/delivery/dispatcher.ts': ['queues and windows by channel', 'src/delivery/dispatcher.test.ts'],
  'src/delivery/planner.ts': ['events in parts, so that others have turns', 'src/delivery/plannerTurns.test.ts'],
}

/** Loops and queues that all teams share, in which no team waits for another team's addresses or data. */
const ownLoops: Record<string, string> = {
  'src/store/periodicWrite.ts': 'writes what waits in memory, all at once',
  'src/journal/runLog.ts': 'writes rows that wait in memory, with a limit for each script',
  'src/journal/intakeLog.ts': 'writes counts',
  'src/kit/retryUntilDone.ts': 'one change of one caller',
  'src/delivery/runRetention.ts':
    'begins expireJournal and the other kinds of data at once, each hour; runs of webhooks in slices',
  'src/delivery/duePoller.ts': 'rows of all channels by their queues’ room',
  'src/delivery/attemptReport.ts': 'writes counts',
  'src/delivery/heldEvents.ts': 'releases in parts; the lock is of one user',
  'src/delivery/dispatcherMetrics.ts': 'counts',
  'src/delivery/expireWaiting.ts': 'one statement an hour',
  'src/postgres/listen.ts': 'one connection',
  'src/postgres/databaseClock.ts': 'measures',
  'src/postgres/databaseMetrics.ts': 'measures',
  'src/cluster/postgres/postgresCluster.ts': 'renews the membership of a process',
  'src/runtime/keepEdgeFile.ts': 'writes one file of the process',
  'src/control/contactPoints.ts': 'codes of a team in an hour',
  'src/control/hostClaims.ts': 'calls hostProofs',
  'src/postgres/shards/openShardedDatabase.ts': 'writes that are deferred for shards',
  'src/dashboard/api/liveStream.ts': 'in the browser',
  'src/stream/log/leases.ts': 'leases of slots',
  'src/stream/postgres/leases.ts': 'leases of slots',
  'src/limit/refusedCalls.ts': 'writes counts',
  'src/runtime/sharedRuntime.ts': 'slots are of one team or person each',
  'src/runtime/serverRuntime.ts': 'slots are of one team or person each',
  'src/order/recordOrders.ts': 'the lock is of one tag',
  'src/control/changeLock.ts': 'the lock is of one tag or team',
  'src/account/application.ts': 'the lock is of one team',
  'src/account/membership.ts': 'the lock is of one team',
  'src/account/person.ts': 'the lock is of one person',
  'src/account/keyRotation.ts': 'the operator alone rotates',
  'src/account/sealingKeys.ts': 'reads few rows once',
  'src/user/profiles.ts': 'the lock is of one user',
  'src/user/unwritten.ts': 'group commit: a fixed number of rows in each',
  'src/edge/appendBatcher.ts': 'group commit: bounded by size and time',
  'src/kit/writer.ts': 'group commit: bounded by rows',
  'src/edge/lateLookups.ts': 'a rate for names that nobody has; known tags need no look-up',
  'src/journal/exchangeSampler.ts': 'the rate is of one channel',
  'src/limit/tokenIssueRate.ts': 'the rate is of one application',
  'src/cluster/inProcess.ts': 'leases of one process',
  'src/cluster/postgres/leases.ts': 'leases of processes',
  'src/stream/log/rewrites.ts': 'the lock is of one record',
  'src/stream/log/checkpoints.ts': 'one writer of checkpoints',
  'src/stream/postgres/postgresStream.ts': 'group commit: bounded by size',
}

const waits =
  /while \(!(?:\w+\.)?(?:signal|stopping)[\w.]*aborted|; !signal\.aborted; |\b(?:fairQueue|openTeamTurns|keyedMutex|createBatcher|runRounds|openQueryPool|openSlots|tokenBuckets|repeatEvery)(?:<[^(]*>)?\(|\bTeamTurns\b/

/** Matches of the pattern in the files that define these tools. */
const tools = ['rounds', 'fairQueue', 'teamTurns', 'keyedMutex', 'batcher', 'tokenBucket', 'repeatEvery'].map(
  (name) => `src/kit/${name}.ts`,
)

test('every place where work of several teams waits together is listed, with its turns and their test', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.(test|fixture|suite)\.tsx?$/.test(file),
  )
  const found = files.filter((file) => waits.test(readFileSync(join(root, file), 'utf8')))
  const known = [...tools, 'src/limit/slots.ts', ...Object.keys(turns), ...Object.keys(ownLoops)]
  assert.deepEqual(
    found.filter((file) => !known.includes(file)),
    [],
    'say how the teams take turns there',
  )
  const absent = [...Object.keys(turns), ...Object.keys(ownLoops)].filter((file) => !files.includes(file))
  assert.deepEqual(absent, [])
  for (const [, shownBy] of Object.values(turns))
    assert.ok(readFileSync(join(root, shownBy), 'utf8').includes('test('), shownBy)
})
