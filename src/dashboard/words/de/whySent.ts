import type { ConsentCheck, TextWarning } from '#contract/consentCheck.ts'
import type { ConsentProof } from '#contract/consentProof.ts'
import type * as english from '../en/whySent.ts'
import { list, moment } from '../format.ts'
import type { Translated } from '../translated.ts'

const purposes: Record<number, string> = {
  1: 'Informationen auf dem Gerät speichern und lesen',
  2: 'Werbung anhand weniger Daten auswählen',
  3: 'ein Profil für Werbung anlegen',
  4: 'Werbung anhand eines Profils auswählen',
  5: 'ein Profil für Inhalte anlegen',
  6: 'Inhalte anhand eines Profils auswählen',
  7: 'Werbung messen',
  8: 'Inhalte messen',
  9: 'Zielgruppen verstehen',
  10: 'Dienste entwickeln und verbessern',
  11: 'Inhalte anhand weniger Daten auswählen',
}
const purpose = (id: number) => (purposes[id] ? `${id} (${purposes[id]})` : `${id}`)

const rules: Record<ConsentCheck['rule'], string> = {
  agreed: 'Erlaubt: Die Antwort des Besuchers erlaubt es.',
  default:
    'Erlaubt: Die Seite zeigt hier kein Banner und erlaubt dies von sich aus. Es ist keine Antwort des Besuchers.',
  limitedUse:
    'Erlaubt: Der Besucher hat nur dem Verkauf von Daten widersprochen, und der Anbieter wird angewiesen, das Ereignis eingeschränkt zu nutzen.',
  necessary: 'Erlaubt: Der Tag wertet den Kanal als notwendig, was keine Antwort erlauben muss.',
  disabled: 'Erlaubt: Der Tag ist so eingestellt, dass er keine Einwilligung verlangt.',
  none: 'Abgelehnt: Der Besucher hatte keine Einwilligung erteilt.',
  unanswered: 'Abgelehnt: Der Besucher hatte das Banner noch nicht beantwortet.',
  category: 'Abgelehnt: Der Besucher hat in diese Kategorie nicht eingewilligt.',
  provider: 'Abgelehnt: Der Besucher hat in diesen Kanal namentlich nicht eingewilligt.',
  gpc: 'Abgelehnt: Der Browser hat Global Privacy Control gesendet, was der Tag als Ablehnung von Werbung wertet.',
  tcf: 'Abgelehnt: Der TC-String des Besuchers erlaubt es nicht.',
  gpp: 'Abgelehnt: Der GPP-String des Besuchers widerspricht.',
  others:
    'Abgelehnt: Ein anderer Besucher mit derselben E-Mail oder Kundennummer hat abgelehnt, und die strengere Antwort gilt.',
  later:
    'Abgelehnt: Der Besucher hat die Einwilligung zurückgenommen, nachdem das Ereignis kam und bevor es gesendet wurde.',
}
const warnings: Record<TextWarning, string> = {
  TCF_OUT_OF_TIME:
    'Mit dem Ereignis kam ein TC-String. Er war älter, als der Tag erlaubt, oder von einem künftigen Tag, und gilt daher als keine Antwort.',
  TCF_UNREADABLE: 'Der TC-String des Ereignisses ist nicht lesbar; das gilt als Ablehnung.',
  TCF_WITHOUT_DISCLOSED_VENDORS:
    'Der TC-String des Ereignisses sagt nicht, welche Anbieter das Banner offengelegt hat, und lehnt daher jeden Anbieter ab.',
  TCF_LIST_NEWER: 'Der TC-String des Ereignisses gehört zu einer neueren Anbieterliste, als der Server sie hat.',
  GPP_UNREADABLE: 'Der GPP-String des Ereignisses ist nicht lesbar; das gilt als Ablehnung.',
}
const sources: Record<ConsentProof['source'], string> = {
  device: 'vom Browser oder der App des Besuchers',
  trusted: 'von einem Server mit Zugriffstoken',
  claim:
    'von einem Browser oder einer App mit dem Namen einer Person: Es beweist die Antwort dieses Geräts, nicht, dass es diese Person ist',
}

/** Why an event was or was not sent to a channel, in words for a lawyer. */
export const whySentWords: Translated<typeof english.whySentWords> = {
  title: 'Warum gesendet wurde, oder nicht',
  answered: (at, zone) => `Beantwortet ${moment(at, zone)}`,
  notAsked: 'Der Tag verlangt keine Einwilligung, deshalb wird keine Antwort nachgewiesen.',
  noAnswer: 'Der Besucher hatte noch nicht geantwortet.',
  noProof:
    'Es gibt keinen Nachweis der Antwort: Der Besucher hat seitdem neu geantwortet, oder er antwortete, bevor Nachweise aufbewahrt wurden.',
  redacted: 'Ihre Rolle darf den Nachweis der Antwort nicht lesen.',
  source: 'Kam',
  sources,
  banner: 'Angezeigtes Banner',
  bannerVersion: 'Version des Banners',
  textVersion: 'Version des gezeigten Textes',
  tcf: 'TC-String',
  addtlConsent: 'Zusätzliche Einwilligung von Google',
  gpp: 'GPP-String',
  rules,
  warnings,
  needsNothing: 'Der Kanal ist notwendig.',
  needs: (category) => `Der Kanal braucht die Einwilligung für ${category}.`,
  purpose,
  needsPurposes: (ids) => `Der Tag braucht die Zwecke ${list(ids.map(purpose))}.`,
  needsVendor: (id) => `Er braucht auch die Einwilligung für den Anbieter ${id} der Global Vendor List.`,
  bitOfPurpose: (id) => `Was ablehnt, ist der Zweck ${purpose(id)}.`,
  bit: (text) => `Was im String ablehnt, ist „${text}“.`,
  unreadable: 'Der String ist nicht lesbar, was als Ablehnung gilt.',
}
