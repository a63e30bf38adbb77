import type * as english from '../en/explain.ts'
import { duration, list } from '../format.ts'
import type { Translated } from '../translated.ts'

const categories: Record<string, string> = {
  necessary: 'Notwendiges',
  advertising: 'Werbung',
  analytics: 'Statistik',
  functional: 'Funktionen',
}
const category = (name: string) => categories[name] ?? name

/** The sentences of Explain: what was needed, what was found, who decided, and what to change. */
export const explainWords: Translated<typeof english.explainWords> = {
  category,
  consent: {
    none: (needs) =>
      `Nicht gesendet: Der Kanal braucht die Einwilligung für ${needs}, und der Besucher hat keine erteilt.`,
    unanswered: (needs) =>
      `Nicht gesendet: Der Kanal braucht eine Einwilligung in ${needs}, und der Besucher hat noch nicht geantwortet.`,
    category: (needs) =>
      `Nicht gesendet: Der Kanal braucht die Einwilligung für ${needs}, und der Besucher hat sie abgelehnt.`,
    provider: 'Nicht gesendet: Der Besucher hat diesen Kanal namentlich abgelehnt.',
    gpc: (needs) =>
      `Nicht gesendet: Der Browser des Besuchers sendet Global Privacy Control, was dieser Tag als Ablehnung von ${needs} wertet.`,
    tcf: (needs) =>
      `Nicht gesendet: Der Kanal braucht die Einwilligung für ${needs}, und der TC-String des Besuchers lehnt sie ab.`,
    gpp: (needs) =>
      `Nicht gesendet: Der Kanal braucht die Einwilligung für ${needs}, und der GPP-String des Besuchers widerspricht.`,
    others: (needs) =>
      `Nicht gesendet: Ein anderer Besucher mit derselben E-Mail hat ${needs} abgelehnt, und die strengere Einwilligung gilt.`,
    plain: 'Nicht gesendet: Die Einwilligung des Besuchers erlaubt diesen Kanal nicht.',
  },
  region: (regions, place) =>
    `Nicht gesendet: Der Kanal sendet nur aus ${regions}; dieses Ereignis kam von ${place ?? 'einem unbekannten Ort'}.`,
  regionPlain: 'Nicht gesendet: Der Kanal sendet keine Ereignisse von diesem Ort.',
  notSelected: 'Nicht gesendet: Das Ereignis nennt seine Kanäle selbst in „providers“, und dieser ist nicht dabei.',
  filteredByPlugin: (plugin) => `Nicht gesendet: Das Plugin ${plugin} hat das Ereignis ausgefiltert.`,
  filteredByOrigin:
    'Nicht gesendet: Der Code dieses Kanals hat das Ereignis selbst gesendet und erhält es nicht zurück.',
  filteredPlain: 'Nicht gesendet: Ein Plugin, eine Regel oder eine Einstellung hat das Ereignis ausgefiltert.',
  identityMissing: (needs) =>
    `Nicht gesendet: Der Anbieter kann nicht erkennen, wer das ist. Er braucht ${needs.map((each) => each.join(' und ')).join(' oder ')}.`,
  identityMissingPlain:
    'Nicht gesendet: Nichts, was über den Besucher bekannt ist, macht ihn für den Anbieter erkennbar.',
  eventNotSupported: (name, takes) =>
    takes.length > 0
      ? `Nicht gesendet: Der Kanal nimmt ${name} nicht an. Er nimmt ${list(takes)} an.`
      : `Nicht gesendet: Der Kanal nimmt ${name} nicht an.`,
  tooOld: (ageMs, maxAgeMs) =>
    `Nicht gesendet: Das Ereignis war ${duration(ageMs)} alt, und der Anbieter nimmt keine an, die älter als ${duration(maxAgeMs)} sind.`,
  tooOldPlain: 'Nicht gesendet: Das Ereignis ist älter, als der Anbieter erlaubt.',
  duplicate: 'Nicht gesendet: Der Anbieter kennt schon ein Ereignis mit dieser Kennung.',
  keyRejected: 'Der Anbieter lehnt den Schlüssel dieses Kanals ab. Ereignisse warten, bis der Schlüssel ersetzt ist.',
  payloadRefused: (answer) =>
    answer
      ? `Der Anbieter hat dieses Ereignis abgelehnt: „${answer}“ Es wird nicht erneut versucht.`
      : 'Der Anbieter hat dieses Ereignis abgelehnt. Es wird nicht erneut versucht.',
  addressNotAllowed:
    'Die Adresse des Kanals ist auf diesem Server nicht erlaubt: Sie führt in ein privates Netz oder zu einem gesperrten Port.',
  vendorDown: 'Der Anbieter antwortet nicht oder mit Serverfehlern. Das Ereignis wartet und wird erneut gesendet.',
  throttled: 'Der Anbieter verlangt weniger Anfragen. Das Ereignis wartet und wird erneut gesendet.',
  poison:
    'Das Senden dieses Ereignisses hat den Prozess mehrmals abstürzen lassen. Es wurde zurückgestellt, damit andere gesendet werden können.',
  expired: 'Es wartete länger, als Ereignisse aufbewahrt werden, und wurde aufgegeben.',
  erased: 'Der Besucher wurde gelöscht; deshalb wird dieses Ereignis nicht gesendet.',
  delivered: 'Der Anbieter hat das Ereignis angenommen.',
  simulated: 'Die Anfrage wurde erstellt und nicht gesendet, denn dieser Kanal simuliert nur.',
  heldForShop:
    'Der Kauf der Seite wartet auf den Webhook seiner Bestellung, damit der Kanal nur einen von beiden erhält.',
  held: 'Das Ereignis wartet auf die Einwilligung des Besuchers, weil die Einstellung „hold“ des Tags an ist.',
  pending: 'Es wartet, bis es an der Reihe ist.',
  dead: (answer) =>
    answer ? `Alle Versuche sind gescheitert; der letzte: „${answer}“` : 'Alle Versuche sind gescheitert.',
  actions: {
    consent: 'Wie das SDK nach Einwilligung fragt',
    channel: 'Kanal ändern',
    regions: 'Regionen ändern',
    key: 'Schlüssel ersetzen',
    plugins: 'Plugins des Tags',
  },
}
