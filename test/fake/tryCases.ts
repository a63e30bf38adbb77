import type { FaultName } from '#contract/fault.ts'
import type { OperationId } from '#contract/operations.ts'
import { newId } from '#kit/id.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  sealPlain,
  type TestControl,
} from './testControl.ts'
import { withoutProvider } from './withoutProvider.ts'

const ids = ['preview', 'simulate', 'testTag', 'createPreviewLink', 'listPreviewEvents'] as const
type TryOperationId = (typeof ids)[number] & OperationId
type TryCases = {
  good: Record<TryOperationId, () => ControlRequest>
  own: { [Id in TryOperationId]: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
  /** Requests that name a script of the customer. */
  ofScript: Record<'preview' | 'simulate', () => ControlRequest>
  /** The fault of an id that belongs to another team. */
  theirs: Record<Exclude<TryOperationId, 'testTag'>, FaultName>
}

/** The cases of the operations that try a channel without saving it. */
export async function tryCases(control: TestControl, customer: Customer): Promise<TryCases> {
  const { tagId } = customer
  const call = (id: TryOperationId, asked: ControlRequest) => callControl(control, id, customer, asked)
  const stranger = await makeCustomer(control)
  const line = { provider: 'eventSink', event: { eventName: 'PageView' } }
  const code = { code: 'async tag() {}', events: [{ eventName: 'PageView' }] }
  const test = { event: { eventName: 'PageView' }, send: false }
  const scriptId = 'scr_nope'
  const link = { draft: true, deliver: 'none' }
  const previewId = newId('prv', 0)
  const noTag = newId('tag', 0)
  const theirs = (providerId: 'eventSink' | 'playground', variable: string) =>
    sealPlain(control, stranger, providerId, [variable, 'TEXT', 'https://a.example/'])
  const sinkId = await makeScript(control, customer, { name: 'tried sink' })
  const codeId = await makeScript(control, customer, {
    name: 'tried code',
    providerId: 'playground',
    secrets: await sealPlain(control, customer, 'playground', ['PLAYGROUND_CODE', 'TEXT', 'async tag() {}']),
  })
  return {
    theirs: {
      preview: 'scriptOrTagNotFound',
      simulate: 'scriptOrTagNotFound',
      createPreviewLink: 'tagUnknown',
      listPreviewEvents: 'tagUnknown',
    },
    ofScript: {
      preview: () => ({ body: { ...line, scriptId: sinkId } }),
      simulate: () => ({ body: { ...code, provider: 'playground', scriptId: codeId } }),
    },
    good: {
      preview: () => ({ body: line }),
      simulate: () => ({ body: code }),
      testTag: () => ({ values: { tagId }, body: test }),
      createPreviewLink: () => ({ values: { tagId }, body: link }),
      listPreviewEvents: () => ({ values: { tagId, previewId } }),
    },
    own: {
      preview: {
        scriptOrTagNotFound: () => call('preview', { body: { ...line, scriptId } }),
        secretRefused: async () =>
          call('preview', { body: { ...line, sealed: await theirs('eventSink', 'EVENT_SINK_URL') } }),
      },
      simulate: {
        webhookOff: async () => {
          const { production } = control.environments
          const { runCode } = production
          Object.assign(production, { runCode: async () => ({ notRun: 'off', message: '', logs: [] }) })
          return call('simulate', { body: code }).finally(() => Object.assign(production, { runCode }))
        },
        scriptOrTagNotFound: () => call('simulate', { body: { ...code, provider: 'playground', scriptId } }),
        secretRefused: async () => {
          const sealed = await theirs('playground', 'PLAYGROUND_CODE')
          return call('simulate', { body: { ...code, provider: 'playground', sealed } })
        },
      },
      testTag: {
        tagUnknown: () => call('testTag', { values: { tagId: newId('tag', 0) }, body: test }),
        scriptOrTagNotFound: () => call('testTag', { values: { tagId }, body: { ...test, scriptIds: [scriptId] } }),
        providerNotAvailable: () =>
          withoutProvider('yotpo', () =>
            call('testTag', { values: { tagId }, body: { ...test, draft: { providerId: 'yotpo' } } }),
          ),
        secretRefused: async () => {
          const draft = { providerId: 'eventSink', secrets: await theirs('eventSink', 'EVENT_SINK_URL') }
          return call('testTag', { values: { tagId }, body: { ...test, draft } })
        },
      },
      createPreviewLink: {
        tagUnknown: () => call('createPreviewLink', { values: { tagId: noTag }, body: link }),
        deploymentUnknown: () =>
          call('createPreviewLink', { values: { tagId }, body: { deployment: 999, deliver: 'none' } }),
      },
      listPreviewEvents: {
        tagUnknown: () => call('listPreviewEvents', { values: { tagId: noTag, previewId } }),
      },
    },
  }
}
