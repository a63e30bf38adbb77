/** The fields of GA4: https://developers.google.com/analytics/devguides/collection/ga4/reference/events */
export const gaFields = {
  fields: 'transaction_id=orderId search_term=search items=contents event_id= send_to=',
  items: 'item_id=id item_name=title item_brand=brand item_category=category item_variant=variantId price=item_price',
  person:
    'email=email email_address=email phone_number=phone first_name=firstName last_name=lastName city=city region=state postal_code=zip country=country user_id=customerId',
}
