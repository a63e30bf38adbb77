import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#kit/id.ts'
import { isTeamId, teamIdMissing } from './teamId.ts'

test('the id of a team is team_ and 26 characters of the base 32 of ids', () => {
  const teamId = newId('team', 1_790_000_000_000)
  assert.ok(isTeamId(teamId))
  const others = [teamId.toUpperCase(), `${teamId}0`, teamId.slice(0, -1), teamId.replace('team', 'tag'), ` ${teamId}`]
  for (const text of [...others, `team_${'u'.repeat(26)}`, '', undefined, [teamId]])
    assert.ok(!isTeamId(text), `${text}`)
})

test('a call without Team-Id is told the team of its token', () => {
  const { fault, message, attributes } = teamIdMissing('team_1')
  assert.deepEqual([fault, attributes], ['teamIdMissing', { teams: ['team_1'] }])
  assert.match(message, /Team-Id.*team_1/)
})
