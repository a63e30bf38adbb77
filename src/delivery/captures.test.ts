import assert from 'node:assert/strict'
import { test } from 'node:test'
import affiliate from '#providers/affiliate.ts'
import facebook from '#providers/facebook.ts'
import { capturedIn } from '#user/capture.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { openCaptures } from './captures.ts'

const providers = { affiliate, facebook }
const network = aScript('scr_1', { providerId: 'affiliate' })
const meta = aScript('scr_2', { providerId: 'facebook' })

function open(secrets: Record<string, string> = {}) {
  const opened = { times: 0 }
  const captures = openCaptures(providers, async () => {
    opened.times++
    return secrets
  })
  return { ...captures, opened }
}

test('the parameter that a customer names is captured on their tag, the usual one where none is named', async () => {
  const named = open({ AFFILIATE_CLICK_PARAM: 'nid' })
  assert.deepEqual(await named.ofScript(aTag([network]), network), [{ query: 'nid' }])
  assert.deepEqual(await open().ofScript(aTag([network]), network), [{ query: 'click_id' }])
})

test('what is captured on a tag is kept; what only another tag names is not', async () => {
  const { ofTag } = open({ AFFILIATE_CLICK_PARAM: 'nid' })
  const event = { ...anEvent(1), pageUrl: 'https://shop.example/?nid=n-7&fbclid=f-1&other=x' }
  assert.deepEqual(capturedIn(event, await ofTag(aTag([network]))), { nid: 'n-7', fbclid: 'f-1' })
  assert.deepEqual(capturedIn(event, await ofTag(aTag([meta]))), { fbclid: 'f-1' })
})

test('secrets are opened once for a deployment, and not at all where nobody names anything', async () => {
  const { ofTag, opened } = open()
  const tag = aTag([network, meta])
  await ofTag(tag)
  assert.equal(await ofTag(tag), await ofTag(tag))
  await ofTag(aTag([meta]))
  assert.equal(opened.times, 1)
})

test('secrets that did not open are tried again', async () => {
  let fails = true
  const { ofTag } = openCaptures(providers, async () => {
    if (fails) throw new Error('not now')
    return {}
  })
  const tag = aTag([network])
  await assert.rejects(async () => ofTag(tag), /not now/)
  fails = false
  assert.ok((await ofTag(tag)).queries.has('click_id'))
})
