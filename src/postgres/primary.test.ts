import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { type Host, openPrimaryHost, type PrimaryHost } from './primary.ts'

const [one, two, three] = ['one', 'two', 'three'].map((host) => ({ host, port: 5432 })) as [Host, Host, Host]

describe('the primary among several hosts', () => {
  let now: number
  /** The answers of the hosts; a missing host does not answer. */
  let answers: Map<Host, boolean>
  let asked: Host[]
  let frozen: { host: Host; answer(isPrimary: boolean): void }[]
  let changes: number
  let primary: PrimaryHost

  beforeEach(() => {
    ;[now, changes, asked, frozen] = [1_000_000, 0, [], []]
    answers = new Map([
      [one, true],
      [two, false],
      [three, false],
    ])
    primary = openPrimaryHost([one, two, three], {
      ask(host) {
        asked.push(host)
        const answer = answers.get(host)
        if (answer !== undefined) return Promise.resolve(answer)
        return new Promise((resolve) => frozen.push({ host, answer: resolve }))
      },
      changed: () => changes++,
      monotonicMs: () => now,
    })
  })

  test('is at first the first one, and stays while it is confirmed', async () => {
    assert.equal(primary.current(), one)
    await primary.search()
    assert.deepEqual([primary.current(), changes], [one, 0])
  })

  test('is found while another host stands still', async () => {
    answers = new Map([
      [two, false],
      [three, true],
    ])
    await primary.search()
    assert.deepEqual([primary.current(), changes], [three, 1])
  })

  test('is asked for again while an earlier search still waits for a host that stands still', async () => {
    answers = new Map([
      [two, false],
      [three, false],
    ])
    await primary.search()
    assert.equal(primary.current(), one)
    answers.set(two, true) // promoted
    await primary.search()
    assert.deepEqual([primary.current(), changes], [two, 1])
  })

  test('is also one that answers after the search', async () => {
    answers = new Map([[two, false]])
    await primary.search()
    frozen.find(({ host }) => host === three)!.answer(true)
    await new Promise(setImmediate)
    assert.deepEqual([primary.current(), changes], [three, 1])
  })

  test('is not one that answered an earlier search than the last that found one', async () => {
    answers = new Map([
      [two, false],
      [three, false],
    ])
    await primary.search()
    answers.set(three, true)
    await primary.search()
    frozen[0]!.answer(true) // `one`, before it was replaced
    await new Promise(setImmediate)
    assert.deepEqual([primary.current(), changes], [three, 1])
  })

  test('is looked for by work that takes long, unless one has answered just before', async () => {
    await primary.search()
    primary.searchIfUnsure()
    assert.equal(asked.length, 3)
    now += 3_001
    primary.searchIfUnsure()
    assert.equal(asked.length, 6)
  })
})

test('one host alone is not asked by work that takes long', () => {
  const ask = () => Promise.reject(new Error('asked'))
  const primary = openPrimaryHost([one], { ask, changed: () => {} })
  primary.searchIfUnsure()
  assert.equal(primary.current(), one)
})
