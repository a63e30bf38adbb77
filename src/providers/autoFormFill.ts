import { provider } from '#provider/form/provider.ts'

/** Works only in the page: the browser module learns values from forms and fills in forms. No requests are sent. */
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
  personId: 'none',
  dedup: 'none: nothing is sent',
  request: () => [],
})
