import type { OrderRow } from '#contract/order.ts'
import type { OrderCell } from '#contract/orderCells.ts'
import type * as english from '../en/orders.ts'
import { list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const cells: Record<OrderCell, string> = {
  accepted: 'angenommen',
  waiting: 'wartet',
  payloadRefused: 'vom Anbieter abgelehnt',
  keyRejected: 'Schlüssel abgelehnt',
  vendorDown: 'Anbieter nicht erreichbar',
  expired: 'abgelaufen',
  poison: 'bringt den Worker zum Absturz',
  consent: 'keine Einwilligung',
  region: 'andere Region',
  notSelected: 'nicht ausgewählt',
  filtered: 'gefiltert',
  identityMissing: 'Käufer unbekannt',
  simulated: 'simuliert',
  erased: 'gelöscht',
  noEvent: 'kein Ereignis',
  open: 'zu jung für ein Urteil',
}
const receivedFrom: Record<OrderRow['received'], string> = {
  browserOnly: 'nur vom Browser',
  serverOnly: 'nur vom Server',
  both: 'von Browser und Server',
  none: 'nicht empfangen',
}
const results = {
  replayed: 'erneut gesendet',
  sent: 'aus den Daten des Shops erstellt',
  noPayload: 'für einen Kauf ist nichts gespeichert',
  eventGone: 'das Ereignis ist gelöscht',
  refused: 'abgelehnt',
}

export const orderWords: Translated<typeof english.orderWords> = {
  intro:
    'Jede Bestellung des Shops steht je Kanal in genau einer Zelle. Angenommen heißt, dass der Anbieter sie nahm, nicht dass er sie anrechnet.',
  noneTitle: 'Keine Bestellungen in diesem Zeitraum',
  none: 'Verbinden Sie Ihren Shop, oder laden Sie seine Liste: aglet order import --file orders.csv',
  noChannelsTitle: 'Kein veröffentlichter Kanal',
  table: 'Bestellungen nach Kanal',
  columns: {
    channel: 'Kanal',
    accepted: 'Angenommen',
    waiting: 'Wartend',
    explained: 'Nicht gesendet',
    failed: 'Fehlgeschlagen',
    noEvent: 'Kein Ereignis',
    open: 'Offen',
    gap: 'Lücke',
    acceptance: 'Annahme',
    accounted: 'Geklärt',
  },
  expected: (orders) => plural(orders, 'erwartete Bestellung', 'erwartete Bestellungen'),
  besides: (open, outOfScope) =>
    `Zu jung für ein Urteil: ${plural(open, 'Bestellung', 'Bestellungen')}, nicht erwartet: ${plural(outOfScope, 'Bestellung', 'Bestellungen')}.`,
  received: (browser, server, both, none) =>
    `Empfangen nur vom Browser: ${browser}, nur vom Server: ${server}, von beiden: ${both}, von keinem: ${none}.`,
  unknown: (events) => `${plural(events, 'Kauf', 'Käufe')} zu Bestellungen, die der Shop nicht genannt hat.`,
  cell: (cell) => cells[cell],
  cellLink: (orders, column, channel) => `${column}, ${channel}: ${plural(orders, 'Bestellung', 'Bestellungen')}`,
  ordersOf: (channel, shown) => `${channel}: ${list(shown.map((cell) => cells[cell]))}`,
  noRowsTitle: 'In dieser Zelle steht keine Bestellung',
  rowColumns: { order: 'Bestellung', placed: 'Bestellt', value: 'Wert', cell: 'Zelle', why: 'Warum' },
  close: 'Alle Zellen zeigen',
  orderTitle: (orderId) => `Bestellung ${orderId}`,
  orderUnknownTitle: 'Der Shop hat diese Bestellung nicht genannt',
  orderUnknown: 'Bestellungen werden 400 Tage aufbewahrt.',
  facts: {
    updated: 'Geändert',
    status: 'Im Shop',
    received: 'Ihr Kauf',
    refunded: 'Erstattet',
    salesChannel: 'Vertriebskanal',
    source: 'Genannt von',
    aliases: 'Weitere IDs',
  },
  status: {
    placed: 'aufgegeben',
    paid: 'bezahlt',
    cancelled: 'storniert',
    refunded: 'erstattet',
    test: 'ein Test',
  },
  notExpected: 'daher in den Kanälen nicht erwartet',
  receivedFrom: (received) => receivedFrom[received],
  cellsOfOrder: 'Die Bestellung in jedem Kanal',
  journey: 'Weg',
  journeyOf: (channel) => `Weg zeigen: ${channel}`,
  showJourney: 'Weg zeigen',
  eventsOfOrder: 'Käufe der Bestellung',
  eventColumns: { event: 'Ihr Ereignis', received: 'Empfangen', from: 'Von', deliveries: 'Zustellungen' },
  from: (from) => (from === 'browser' ? 'dem Browser' : 'einem Server'),
  eventGone: 'nicht mehr vorhanden',
  noEventsTitle: 'Der Tag hat keinen Kauf dieser Bestellung erhalten',
  noEvents: 'Seine data.orderId oder seine Ereignis-ID muss die Bestellnummer oder eine der weiteren IDs sein.',
  marks: {
    isRetried: 'nach erneutem Versuch',
    isRepeated: 'mehr als einmal',
    valueDiffers: 'anderer Wert',
    currencyDiffers: 'andere Währung',
  },
  repair: 'Fehlendes senden',
  repairIntro: 'Vor Ihrer Bestätigung wird nichts gesendet. Diese Bestellungen würden gesendet:',
  repairNone: 'Es fehlt nichts, was gesendet werden kann.',
  repairResult: (result, orders) => `${plural(orders, 'Bestellung', 'Bestellungen')}: ${results[result]}`,
  repairChannel: (channel, status, orders) => `${channel}: ${plural(orders, 'Zustellung', 'Zustellungen')}, ${status}`,
  repairMore: 'Es gibt mehr Bestellungen als diese. Wählen Sie einen kürzeren Zeitraum, oder senden Sie zuerst diese.',
  repairSend: 'Jetzt senden',
  repairDone:
    'Die fehlenden Bestellungen sind unterwegs. Die Tabelle zeigt sie, sobald die Anbieter geantwortet haben.',
}
