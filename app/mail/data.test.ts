import { expect, test } from 'vitest'
import { readSettings } from '#app/core/process/env.server.ts'
import { withoutMailPromise } from './data.server.ts'

test('a site without a mail server promises no mail', () => {
  const text = 'Tus archivos ya están con el comité. Te mandamos tu folio por correo. ¡Gracias!'
  const settings = readSettings({ DATA_DIR: '/nada', PUBLIC_URL: 'https://feria.example' })
  expect(withoutMailPromise(text, settings)).toBe('Tus archivos ya están con el comité. ¡Gracias!')
  expect(withoutMailPromise(text, { ...settings, smtpUrl: 'smtp://localhost' })).toBe(text)
})
