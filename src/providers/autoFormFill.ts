import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

/** Its work is done in the page, by its module: it learns from forms and fills them. Nobody is sent anything. */
export default provider({
  label: 'Form filling',
  stage: 'beta',
  consent: ['functional', 'necessary', 'analytics', 'advertising'],
  docs: 'https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill',
  host: 'fixed',
  hidePurchaseValueMode: true,
  isSingleton: true,
  hasBrowserModule: true,

  secrets: {},
  events: {},
  user: {},
  dedup: 'none: nothing is sent',
  request: () => [],

  examples: Object.keys(standardEventNames).map((eventName) => ({
    title: `${eventName} goes nowhere`,
    event: { eventName },
    secrets: {},
    sends: { skipped: 'eventNotSupported' },
  })),
})
