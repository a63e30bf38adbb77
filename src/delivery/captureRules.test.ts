import assert from 'node:assert/strict'
import { test } from 'node:test'
import affiliate from '#providers/affiliate.ts'
import facebook from '#providers/facebook.ts'
import { readCaptured } from '#user/captureRules.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { openCaptureRules } from './captureRules.ts'

const providers = { affiliate, facebook }
const network = aScript('scr_1', { providerId: 'affiliate' })
const meta = aScript('scr_2', { providerId: 'facebook' })

function open(secrets: Record<string, string> = {}) {
  const opened = { times: 0 }
  const captures = openCaptureRules(providers, async () => {
    opened.times++
    return secrets
  })
  return { ...captures, opened }
}

test('the parameter that a script configures is captured on its tag; the default applies if none is configured', async () => {
  const named = open({ AFFILIATE_CLICK_PARAM: 'nid' })
  assert.deepEqual(await named.ofScript(aTag([network]), network), [{ query: 'nid' }])
  assert.deepEqual(await open().ofScript(aTag([network]), network), [{ query: 'click_id' }])
})

test('a parameter that only another tag configures is not kept', async () => {
  const { ofTag } = open({ AFFILIATE_CLICK_PARAM: 'nid' })
  const event = { ...anEvent(1), pageUrl: 'https://shop.example/?nid=n-7&fbclid=f-1&other=x' }
  assert.deepEqual(readCaptured(event, await ofTag(aTag([network]))), { nid: 'n-7', fbclid: 'f-1' })
  assert.deepEqual(readCaptured(event, await ofTag(aTag([meta]))), { fbclid: 'f-1' })
})

test('a script whose provider this build lacks adds no parameter, and the others of its tag keep theirs', async () => {
  const { ofScript, ofTag } = open()
  const unknown = aScript('scr_3', { providerId: 'klaviyo' })
  assert.deepEqual(await ofScript(aTag([unknown]), unknown), [])
  assert.ok((await ofTag(aTag([unknown, network]))).queries.has('click_id'))
})

test('secrets are opened once per deployment, and never for a tag that configures no parameter', async () => {
  const { ofTag, opened } = open()
  const tag = aTag([network, meta])
  await ofTag(tag)
  assert.equal(await ofTag(tag), await ofTag(tag))
  await ofTag(aTag([meta]))
  assert.equal(opened.times, 1)
})

test('secrets that could not be opened are opened again', async () => {
  let fails = true
  const { ofTag } = openCaptureRules(providers, async () => {
    if (fails) throw new Error('not now')
    return {}
  })
  const tag = aTag([network])
  await assert.rejects(async () => ofTag(tag), /not now/)
  fails = false
  assert.ok((await ofTag(tag)).queries.has('click_id'))
})
