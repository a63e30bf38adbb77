import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openSecrets } from '#script/secret.ts'
import { cases } from '../../test/fake/cases.ts'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sealPlain,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const deps = control.environments.production

/** What a script does: its settings, and the plaintext of its secrets. */
type Values = { name: string; geoRegions: string | undefined; purchaseValueMode: string; url: string; events: string }
const secretVariables = { url: 'EVENT_SINK_URL', events: 'EVENT_SINK_EVENTS' } as const

async function valuesOf(
  as: Customer,
  script: { name: string; geoRegions?: string; purchaseValueMode?: string; secrets: Record<string, never> } | undefined,
): Promise<Values | undefined> {
  if (!script) return undefined
  const opened = await openSecrets(script.secrets, { ...deps, teamId: as.teamId })
  const { name, geoRegions, purchaseValueMode = 'gross' } = script
  const textOf = (key: keyof typeof secretVariables) => opened[secretVariables[key]]?.open() ?? ''
  return { name, geoRegions, purchaseValueMode, url: textOf('url'), events: textOf('events') }
}
const live = (as: Customer, scriptId: string) =>
  valuesOf(as, deps.snapshots.get(as.tagId)!.scripts.find((script) => script.scriptId === scriptId) as never)
const saved = async (as: Customer, scriptId: string) =>
  (await valuesOf(as, (await deps.store.script(scriptId)) as never))!

async function bodyOf(as: Customer, { url, events, ...settings }: Partial<Values>): Promise<Record<string, unknown>> {
  const secrets = [
    ...(url === undefined ? [] : await sealPlain(control, as, 'eventSink', ['EVENT_SINK_URL', 'TEXT', url])),
    ...(events === undefined ? [] : await sealPlain(control, as, 'eventSink', ['EVENT_SINK_EVENTS', 'TEXT', events])),
  ]
  return { ...settings, ...(secrets.length > 0 && { secrets }) }
}

/** The live and saved values, and those of each deployment by number: the expected state after each step. */
type Model = { live: Values | undefined; saved: Values; deployments: (Values | undefined)[] }
type Step =
  | { does: 'patch' | 'put'; fields: Partial<Values>; isDraft: boolean }
  | { does: 'deploy' | 'discard' | 'pause' | 'resume' }
  | { does: 'rollBack'; to: number }

const fields = fc.record(
  {
    name: fc.constantFrom('one', 'two', 'three'),
    geoRegions: fc.constantFrom('EU', 'US', 'DE'),
    purchaseValueMode: fc.constantFrom('gross', 'net'),
    url: fc.constantFrom('https://a.example/', 'https://b.example/', 'https://c.example/'),
    events: fc.constantFrom('Purchase', 'PageView'),
  },
  { requiredKeys: [] },
)
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ does: fc.constantFrom('patch' as const, 'put' as const), fields, isDraft: fc.boolean() }),
    fc.record({ does: fc.constantFrom('deploy' as const, 'discard' as const, 'pause' as const, 'resume' as const) }),
    fc.record({ does: fc.constant('rollBack' as const), to: fc.nat() }),
  ),
  { minLength: 1, maxLength: 14 },
)

/** The fields that a PUT publishes: every setting, and the secrets that it lists. */
const putFields = ({ name = 'one', geoRegions, purchaseValueMode = 'gross', ...secrets }: Partial<Values>) => ({
  name,
  geoRegions,
  purchaseValueMode,
  ...secrets,
})

async function run(as: Customer, scriptId: string, model: Model, step: Step): Promise<void> {
  const values = { scriptId, tagId: as.tagId }
  const call = async (id: Parameters<typeof callControl>[1], request: object) => {
    const { status, body } = await callControl(control, id, as, { values, ...request })
    assert.equal(status, 200, JSON.stringify(body))
  }
  if (step.does === 'patch' || step.does === 'put') {
    const named = step.does === 'put' ? putFields(step.fields) : step.fields
    model.saved = { ...model.saved, ...named }
    if (!step.isDraft && model.live) model.live = { ...model.live, ...named }
    else if (!step.isDraft && step.does === 'put') model.live = model.saved
    const body = { ...(await bodyOf(as, named)), shouldDeploy: !step.isDraft }
    const target = { providerId: 'eventSink', tagId: as.tagId }
    await (step.does === 'put' ? call('updateScript', { body: { ...body, ...target } }) : call('patchScript', { body }))
  } else if (step.does === 'rollBack') {
    const number = (step.to % model.deployments.length) + 1
    model.live = model.deployments[number - 1]
    await call('activateDeployment', { values: { tagId: as.tagId, number } })
  } else if (step.does === 'pause' || step.does === 'resume') {
    await call(step.does === 'pause' ? 'pauseScript' : 'resumeScript', { values: { scriptId } })
  } else if (step.does === 'deploy') {
    model.live = model.saved
    await call('deployTag', {})
  } else {
    model.saved = model.live ?? model.saved
    await call('discardDraft', {})
  }
  const { number } = deps.snapshots.get(as.tagId)!
  while (model.deployments.length < number) model.deployments.push(model.live)
}

test('for any drafts, deployments, roll-backs, new keys and pauses, only what a person names changes what is live', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const as = await makeCustomer(control)
      const scriptId = await makeScript(control, as, { name: 'one' })
      const first = await saved(as, scriptId)
      const model: Model = { live: first, saved: first, deployments: [undefined, first] }
      for (const step of sequence) {
        await run(as, scriptId, model, step)
        assert.deepEqual(await live(as, scriptId), model.live, `live after ${JSON.stringify(step)}`)
        assert.deepEqual(await saved(as, scriptId), model.saved, `saved after ${JSON.stringify(step)}`)
      }
    }),
    { numRuns: cases(300) },
  )
})
