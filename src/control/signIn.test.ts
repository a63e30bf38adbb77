import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { SecretType } from '#contract/script.ts'
import {
  ask,
  type Customer,
  makeCustomer,
  openControl,
  type Plain,
  sealed,
  type Told,
} from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)

const typeOf = (variable: string): SecretType =>
  variable === 'TWITTER_PIXEL_ID' ? 'IDENTIFIER' : variable === 'TWITTER_MAPPED_EVENTS' ? 'TEXT' : 'PASSWORD'
/** The body of a script of X, which a pixel token signs in to as well as four keys of OAuth. */
async function bodyOf(as: Customer, given: Record<string, string>) {
  const plain = Object.entries(given).map(([variable, value]): Plain => [variable, typeOf(variable), value])
  const secrets = await sealed(control, as, 'twitter', ...plain)
  return { name: 'x', providerId: 'twitter', tagId: as.tagId, secrets }
}
const pixel = { TWITTER_PIXEL_ID: 'o8z6j', TWITTER_MAPPED_EVENTS: '[["Purchase","tw-1"]]' }
const token = (text: string) => ({ TWITTER_PIXEL_TOKEN: text })
const oauth = {
  TWITTER_CONSUMER_KEY: 'a',
  TWITTER_CONSUMER_SECRET: 'b',
  TWITTER_ACCESS_TOKEN: 'c',
  TWITTER_ACCESS_TOKEN_SECRET: 'd',
}
const create = async (as: Customer, given: Record<string, string>) =>
  ask(control, 'createScript', as, { body: await bodyOf(as, given) })
const update = async (as: Customer, scriptId: string, given: Record<string, string>) =>
  ask(control, 'updateScript', as, { values: { scriptId }, body: await bodyOf(as, given) })
const issuesIn = ({ status, body }: Told) => [
  status,
  (body.attributes as { issues: { path: string; message: string }[] }).issues.map(({ path }) => path),
]

test('PUT refuses to unset the last whole way to sign in, and changes nothing', async () => {
  const as = await makeCustomer(control)
  const made = await create(as, { ...pixel, ...token('pixel-token'), TWITTER_CONSUMER_KEY: 'a' })
  assert.equal(made.status, 200)
  const { scriptId } = made.body as { scriptId: string }
  const read = async () => (await ask(control, 'readScript', as, { values: { scriptId } })).body
  const before = await read()
  assert.deepEqual(issuesIn(await update(as, scriptId, token(''))), [400, ['secrets']])
  assert.deepEqual(await read(), before)
})

test('PUT may go from one way to sign in to another, and leave out what it does not change', async () => {
  const as = await makeCustomer(control)
  const { body } = await create(as, { ...pixel, ...token('pixel-token') })
  const { scriptId } = body as { scriptId: string }
  assert.equal((await update(as, scriptId, { ...oauth, ...token('') })).status, 200)
  assert.equal((await update(as, scriptId, {})).status, 200)
  assert.deepEqual(issuesIn(await update(as, scriptId, { TWITTER_ACCESS_TOKEN: '' })), [400, ['secrets']])
})

test('POST takes an empty plaintext for no way to sign in', async () => {
  const as = await makeCustomer(control)
  assert.deepEqual(issuesIn(await create(as, { ...pixel, ...token('') })), [400, ['secrets']])
})
