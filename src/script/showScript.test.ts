import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providers } from '#providers/index.ts'
import { webhookUrlOf } from './showScript.ts'

const script = { tagId: 'tag_1', scriptId: 'scr_1' }
const deps = { tagUrl: (tagId: string) => `https://aglet.example/${tagId}` }

test('a script whose code answers requests has the address at which other systems call it', () => {
  const answering = Object.values(providers).filter(({ code }) => code?.argument === 'request')
  assert.ok(answering.length > 0)
  for (const provider of answering)
    assert.deepEqual(webhookUrlOf(script, provider, deps), {
      webhookUrl: 'https://aglet.example/tag_1/webhook/scr_1',
    })
})

test('a script with code for events, without code, or of a provider that this build lacks, has no such address', () => {
  const others = Object.values(providers).filter(({ code }) => code?.argument !== 'request')
  assert.ok(others.some(({ code }) => code) && others.some(({ code }) => !code))
  for (const provider of [...others, undefined]) assert.deepEqual(webhookUrlOf(script, provider, deps), {})
})
