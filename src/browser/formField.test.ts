import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FormField, findFormKey } from './formField.ts'

const of = (more: Partial<FormField>) => findFormKey({ type: 'text', autocomplete: '', name: '', id: '', ...more })

test('the autocomplete attribute of a field determines its key, whatever its name', () => {
  assert.equal(of({ autocomplete: 'section-a shipping email', name: 'phone' }), 'email')
  assert.equal(of({ autocomplete: 'given-name' }), 'firstName')
  assert.equal(of({ autocomplete: 'cc-number', name: 'email' }), undefined)
  assert.equal(of({ autocomplete: 'off', name: 'email' }), 'email')
})

test('a field without autocomplete is recognised by its type, its name or its id', () => {
  assert.equal(of({ type: 'email', name: 'x' }), 'email')
  assert.equal(of({ type: 'tel' }), 'phone')
  for (const name of ['first_name', 'FirstName', 'billing[first-name]', 'contact.firstName', 'given_name'])
    assert.equal(of({ name }), 'firstName', name)
  for (const id of ['last-name', 'surname', 'customer[last_name]']) assert.equal(of({ id }), 'lastName', id)
  for (const name of ['e-mail', 'emailAddress', 'EMAIL']) assert.equal(of({ name }), 'email', name)
  for (const name of ['phone', 'mobile', 'phone_number', 'telephone']) assert.equal(of({ name }), 'phone', name)
})

test('passwords, cards, searches and other fields have no key', () => {
  for (const type of ['password', 'hidden', 'checkbox', 'number', 'search'])
    assert.equal(of({ type, name: 'email' }), undefined)
  for (const name of ['card', 'name', 'company', 'q', 'emailconsent', 'username', 'phonecase', ''])
    assert.equal(of({ name }), undefined, name)
})
