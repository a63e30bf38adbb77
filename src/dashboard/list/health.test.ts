import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelHealths } from '#contract/channel.ts'
import { worstHealth } from './health.ts'

test('a tag is as healthy as the worst of its channels, and says how many are', () => {
  const of = (...all: ('stopped' | 'failing' | 'waiting' | 'ok' | 'quiet')[]) =>
    worstHealth(all.map((health) => ({ health })))
  assert.equal(of(), undefined)
  assert.deepEqual(of('ok', 'quiet'), { health: 'ok', count: 1 })
  assert.deepEqual(of('failing', 'ok', 'failing', 'waiting'), { health: 'failing', count: 2 })
  assert.deepEqual(of('failing', 'stopped'), { health: 'stopped', count: 1 })
})

test('the order of the healths is that of the contract', () => {
  const worst = (n: number) => worstHealth(channelHealths.slice(n).map((health) => ({ health })))?.health
  assert.deepEqual(
    channelHealths.map((_, n) => worst(n)),
    [...channelHealths],
  )
})
