import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/**
 * Every place where work of several teams waits together, or is done one after the other, and what keeps one team from
 * delaying the others. Each test of the last column fails if a team can.
 */
const turns: Record<string, [how: string, shownBy: string]> = {
  'src/alert/alertNotifier.ts': ['teamTurns: two writes of a team at once', 'src/alert/alertNotifier.test.ts'],
  'src/alert/sendNotifications.ts': [
    'teamTurns: four sendings of a team, two of an address',
    'src/alert/alertNotifier.test.ts',
  ],
  'src/tag/hostProofs.ts': ['fairQueue: four look-ups of a team, sixteen in a round', 'src/tag/hostProofs.test.ts'],
  'src/account/password.ts': ['fairQueue: addresses and persons take turns', 'src/account/signInMethods.test.ts'],
  'src/sandbox/processPool.ts': ['four processes of a team, queues by team', 'src/sandbox/sandbox.test.ts'],
  'src/sandbox/parseCode.ts': ['one process of a team at once', 'src/sandbox/parseCode.test.ts'],
  'src/kit/queryPool.ts': ['queries of a team, and teams in turns', 'src/kit/queryPool.test.ts'],
  'src/limit/fairShare.ts': ['a share of the main thread for each team', 'src/limit/fairShare.test.ts'],
  'src/control/searchSlots.ts': ['one search of a team at once, with rests', 'src/control/searchSlots.test.ts'],
  'src/delivery/dispatcher.ts': ['queues and windows by channel', 'src/delivery/dispatcher.test.ts'],
  'src/delivery/planner.ts': ['events in parts, so that others have turns', 'src/delivery/plannerTurns.test.ts'],
}

/** Loops that do work of one kind for all teams, but nothing that waits for a team's addresses or counts its data. */
const ownLoops: Record<string, string> = {
  'src/journal/runLog.ts': 'writes rows that wait in memory, with a limit for each script',
  'src/journal/intakeLog.ts': 'writes counts',
  'src/kit/retryUntilDone.ts': 'one change of one caller',
  'src/delivery/runRetention.ts': 'slices with rests; no calls to addresses',
  'src/delivery/replayRunner.ts': 'a slice of a replay of each tag in turn; no calls to addresses',
  'src/delivery/duePoller.ts': 'rows of all channels by their queues’ room',
  'src/delivery/attemptReport.ts': 'writes counts',
  'src/delivery/heldEvents.ts': 'releases in parts',
  'src/delivery/dispatcherMetrics.ts': 'counts',
  'src/delivery/expireWaiting.ts': 'one statement an hour',
  'src/postgres/listen.ts': 'one connection',
  'src/postgres/databaseClock.ts': 'measures',
  'src/postgres/databaseMetrics.ts': 'measures',
  'src/cluster/postgres/postgresCluster.ts': 'renews the membership of a process',
  'src/control/hostClaims.ts': 'calls hostProofs',
  'src/store/sharded/owedWrites.ts': 'writes that are owed to shards',
  'src/dashboard/api/liveStream.ts': 'in the browser',
  'src/stream/log/leases.ts': 'leases of slots',
  'src/stream/postgres/leases.ts': 'leases of slots',
  'src/limit/refusedCalls.ts': 'writes counts',
}

const waits = /while \(!(?:\w+\.)?(?:signal|stopping)[\w.]*aborted|\bfairQueue\(|\bopenTeamTurns\(|\bTeamTurns\b/

test('every place where work of several teams waits together is listed, with its turns and their test', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !/\.(test|fixture|suite)\.tsx?$/.test(file),
  )
  const found = files.filter((file) => waits.test(readFileSync(join(root, file), 'utf8')))
  const known = ['src/kit/fairQueue.ts', 'src/kit/teamTurns.ts', ...Object.keys(turns), ...Object.keys(ownLoops)]
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
