/** A handwritten container, in the format that Tag Manager's interface exports. */

type Parameters = Readonly<Record<string, string | readonly Readonly<Record<string, string>>[]>>

const toParameter = ([key, value]: [string, Parameters[string]]) =>
  typeof value === 'string'
    ? { type: value === 'true' || value === 'false' ? 'BOOLEAN' : 'TEMPLATE', key, value }
    : {
        type: 'LIST',
        key,
        list: value.map((row) => ({
          type: 'MAP',
          map: Object.entries(row).map(([name, text]) => ({ type: 'TEMPLATE', key: name, value: text })),
        })),
      }
const toParameters = (parameters: Parameters) => Object.entries(parameters).map(toParameter)

let ids = 0
const element = (idName: string, name: string, type: string, parameters: Parameters = {}) => ({
  accountId: '1',
  containerId: '9',
  [idName]: `${++ids}`,
  name,
  type,
  parameter: toParameters(parameters),
})

type TagMore = { firing?: readonly string[]; blocking?: readonly string[]; consent?: readonly string[]; more?: object }
export const tag = (
  name: string,
  type: string,
  parameters: Parameters,
  { firing = [], blocking = [], consent, more }: TagMore = {},
) => ({
  ...element('tagId', name, type, parameters),
  firingTriggerId: [...firing],
  ...(blocking.length > 0 && { blockingTriggerId: [...blocking] }),
  consentSettings: consent
    ? {
        consentStatus: 'NEEDED',
        consentType: { type: 'LIST', list: consent.map((value) => ({ type: 'TEMPLATE', value })) },
      }
    : { consentStatus: 'NOT_SET' },
  ...more,
})

type Condition = readonly [type: string, left: string, right: string, more?: 'negate' | 'ignore_case']
const condition = ([type, arg0, arg1, more]: Condition) => ({
  type,
  parameter: [
    { type: 'TEMPLATE', key: 'arg0', value: arg0 },
    { type: 'TEMPLATE', key: 'arg1', value: arg1 },
    ...(more ? [{ type: 'BOOLEAN', key: more, value: 'true' }] : []),
  ],
})
/** A trigger whose id is its name. */
export const trigger = (name: string, type: string, ...conditions: Condition[]) => ({
  ...element('triggerId', name, type),
  triggerId: name,
  ...(type === 'CUSTOM_EVENT'
    ? { customEventFilter: conditions.slice(0, 1).map(condition), filter: conditions.slice(1).map(condition) }
    : { filter: conditions.map(condition) }),
})
/** A trigger for one event, whose id is the name of the event. */
export const onEvent = (event: string) => trigger(event, 'CUSTOM_EVENT', ['EQUALS', '{{_event}}', event])

export const variable = (name: string, type: string, parameters: Parameters = {}) =>
  element('variableId', name, type, parameters)
export const constant = (name: string, value: string) => variable(name, 'c', { value })
export const eventData = (keyPath: string) => variable(`ed ${keyPath}`, 'ed', { keyPath, setDefaultValue: 'false' })
export const client = (name: string, type: string) => element('clientId', name, type)
export const transformation = (name: string, type: string, parameters: Parameters) =>
  element('transformationId', name, type, parameters)

type TemplateForm = {
  gallery?: string
  galleryId?: string
  displayName?: string
  parameters?: readonly string[]
  code?: string
}
/** A template; its code would throw if it ever ran. */
export const template = (
  templateId: string,
  name: string,
  { gallery, galleryId, displayName = name, parameters = [], code = 'throw 1' }: TemplateForm,
) => {
  const [owner, repository] = gallery?.split('/') ?? []
  return {
    containerId: '9',
    templateId,
    name,
    ...(gallery && {
      galleryReference: { host: 'github.com', owner, repository, ...(galleryId && { galleryTemplateId: galleryId }) },
    }),
    templateData: `___INFO___\n\n${JSON.stringify({ type: 'TAG', displayName })}\n\n\n___TEMPLATE_PARAMETERS___\n\n${JSON.stringify(parameters.map((each) => ({ type: 'TEXT', name: each })))}\n\n\n___SANDBOXED_JS_FOR_SERVER___\n\n${code}\n`,
  }
}

type Lists = {
  tag?: object[]
  trigger?: object[]
  variable?: object[]
  client?: object[]
  transformation?: object[]
  customTemplate?: object[]
  builtInVariable?: object[]
  folder?: object[]
}
export const containerFile = (lists: Lists, usage = 'SERVER') => ({
  exportFormatVersion: 2,
  exportTime: '2026-11-01 10:00:00',
  containerVersion: { container: { publicId: 'GTM-ABC1234', name: 'shop', usageContext: [usage] }, ...lists },
})
export const exported = (lists: Lists, usage?: string) => JSON.stringify(containerFile(lists, usage))
