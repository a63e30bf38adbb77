import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

export default provider({
  label: 'Validation',
  stage: 'beta',
  consent: ['necessary', 'functional', 'analytics', 'advertising'],
  docs: 'https://json-schema.org',
  host: 'fixed',
  hidePurchaseValueMode: true,
  isSingleton: true,

  secrets: {},
  events: standardEventNames,
  customEventName: (eventName) => eventName,
  user: {},
  personId: 'none',
  dedup: 'none: nothing is sent',
  journalLines: (event, issuesOf) => issuesOf(event),
  request: () => [],
})
