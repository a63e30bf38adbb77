import type { FaultName } from '#contract/fault.ts'
import type { OperationId } from '#contract/operations.ts'
import { newId } from '#kit/id.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  sealPlain,
  sinkBody,
  type TestControl,
  withLimits,
} from './testControl.ts'
import { withoutProvider } from './withoutProvider.ts'

type TagConfigOperationId = ('applyTagConfig' | 'checkTagConfig') & OperationId
type Cases = Partial<Record<FaultName, () => Promise<ControlAnswer>>>
type TagConfigCases = {
  good: Record<TagConfigOperationId, () => Promise<ControlRequest>>
  own: { [Id in TagConfigOperationId]: Cases }
  theirs: Record<TagConfigOperationId, FaultName>
}

/** Makes a call while a tag may only have one script of eventSink. */
async function whileSingleton(act: () => Promise<ControlAnswer>): Promise<ControlAnswer> {
  const catalogue = providers as Record<string, Provider>
  const before = catalogue.eventSink!
  catalogue.eventSink = { ...before, isSingleton: true }
  return act().finally(() => {
    catalogue.eventSink = before
  })
}

/** The cases of the operations that change a tag together with its scripts. */
export async function tagConfigCases(
  control: TestControl,
  customer: Customer,
  whileRequired: (act: () => Promise<ControlAnswer>) => Promise<ControlAnswer>,
): Promise<TagConfigCases> {
  const { tagId } = customer
  const stranger = await makeCustomer(control)
  await makeScript(control, customer, { name: 'first of a config' })
  let made = 0
  const sink = async (more: Record<string, unknown> = {}) => {
    const { tagId: _, ...script } = await sinkBody(control, customer, { name: `of a config ${++made}`, ...more })
    return script
  }
  const good = async () => ({ body: { tagId, tag: { gpc: true }, scripts: [await sink()] } })
  const newTag = () => ({ tag: { name: `config ${++made}`, domain: 'shop.example.com' } })
  const moved = () => sealPlain(control, stranger, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://a.example'])
  const casesOf = (id: TagConfigOperationId): Cases => {
    const call = (body: Record<string, unknown>) => callControl(control, id, customer, { body })
    const withScript = async (more: Record<string, unknown> = {}) => call({ tagId, scripts: [await sink(more)] })
    return {
      tagUnknown: () => call({ tagId: newId('tag', 0) }),
      scriptOrTagNotFound: () => call({ tagId, removedScriptIds: ['scr_nope'] }),
      providerNotAvailable: () => withoutProvider('yotpo', () => withScript({ providerId: 'yotpo' })),
      policyNotAccepted: () => whileRequired(() => withScript()),
      secretRefused: async () => withScript({ secrets: await moved() }),
      nameTaken: () => withScript({ name: 'first of a config' }),
      providerIsSingleton: () => whileSingleton(() => withScript()),
      tooManyTags: () => withLimits(control, { tagsPerTeam: 1 }, () => call(newTag())),
      tooManyScripts: () => withLimits(control, { scriptsPerTag: 1 }, () => withScript()),
    }
  }
  async function hookFailed(): Promise<ControlAnswer> {
    const { body } = await callControl(control, 'createHook', customer, { body: { url: 'https://ci.example.com/' } })
    const { answer } = control.hooks
    control.hooks.answer = { status: 500, headers: {}, body: '', durationMs: 1 }
    const told = await callControl(control, 'applyTagConfig', customer, await good())
    control.hooks.answer = answer
    await callControl(control, 'deleteHook', customer, { values: { hookId: String(body.hookId) } })
    return told
  }
  return {
    good: { applyTagConfig: good, checkTagConfig: good },
    own: { applyTagConfig: { ...casesOf('applyTagConfig'), hookFailed }, checkTagConfig: casesOf('checkTagConfig') },
    theirs: { applyTagConfig: 'tagUnknown', checkTagConfig: 'tagUnknown' },
  }
}
