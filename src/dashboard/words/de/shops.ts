import type * as english from '../en/shops.ts'
import type { Translated } from '../translated.ts'

/** Texts of the form of the shops of a tag. */
export const shopWords: Translated<typeof english.shopWords> = {
  title: 'Angebundene Shops',
  hint: 'Der Shop unterschreibt seine Webhooks mit einem Schlüssel. Ein Tag ohne den Schlüssel nimmt keine an. Der Schlüssel wird in diesem Browser verschlüsselt und nie wieder angezeigt.',
  names: { shopify: 'Shopify', woocommerce: 'WooCommerce', bigcommerce: 'BigCommerce' },
  columns: { shop: 'Shopsystem', name: 'Name des Shops', keys: 'Schlüssel', address: 'Adresse der Webhooks' },
  notConnected: 'nicht angebunden',
  connect: 'Anbinden',
  edit: 'Ändern',
  remove: 'Trennen',
  connectTitle: (shop) => `${shop} anbinden`,
  removeTitle: (shop) => `${shop} trennen?`,
  removeText:
    'Seine Webhooks werden dann abgelehnt, und seine Schlüssel werden gelöscht. Bestellungen und Ereignisse bleiben.',
  nameLabel: 'Name des Shops',
  nameHints: {
    shopify: 'zum Beispiel name.myshopify.com',
    woocommerce: 'Der Hostname der Startseite, zum Beispiel shop.example',
    bigcommerce: 'Der Store-Hash: der Teil des API-Pfads nach /stores/',
  },
  secrets: {
    WEBHOOK_KEY: 'Schlüssel der Webhooks',
    PREVIOUS_WEBHOOK_KEY: 'Voriger Schlüssel',
    API_TOKEN: 'Zugriffstoken des API-Kontos',
  },
  secretHints: {
    shopify: 'Shopify zeigt ihn unter Einstellungen, Benachrichtigungen, Webhooks, unter der Liste.',
    woocommerce: 'Mindestens 16 Zeichen nach Ihrer Wahl; derselbe wie im Plug-in.',
    bigcommerce: 'Das Client Secret des API-Kontos.',
  },
  previousHint: 'Solange ein Schlüssel ersetzt wird, gelten auch Webhooks mit dem vorigen.',
  isSet: 'Er ist gesetzt. Leer lassen, um ihn zu behalten.',
  purchaseOn: 'Eine Bestellung wird ein Kauf',
  purchaseOns: { create: 'wenn sie aufgegeben wird', paid: 'wenn sie bezahlt wird' },
  orderId: 'Bestellnummer in Ereignissen',
  orderIds: { name: 'die Nummer, die der Käufer sieht', id: 'die ID der Datenbank' },
  productId: 'Produkt-ID in Ereignissen',
  productIds: { product: 'das Produkt', variant: 'die Variante', sku: 'die SKU' },
  salesChannels: 'Vertriebskanäle, die gesendet werden',
  salesChannelsHint: 'Einer pro Zeile: web, pos, draft, app, … Jede Bestellung steht in den Bestellungen.',
  joinSeconds: 'Auf den Webhook warten, in Sekunden',
  joinHint: 'So lange wartet der Kauf der Seite auf den des Shops, damit ein Ereignis die Angaben von beiden hat.',
  sendRefunds: 'Erstattungen als Ereignisse senden',
  sendTests: 'Testbestellungen als Ereignisse senden',
  save: 'Shop speichern',
}
