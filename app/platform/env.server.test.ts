import { expect, test } from 'vitest'
import { readSettings } from './env.server.ts'

test.each([
  [{}, 'avisos@certamen.local'],
  [{ PUBLIC_URL: 'https://feria.example' }, 'avisos@feria.example'],
  [{ PUBLIC_URL: 'https://feria.example', SMTP_URL: 'smtps://apikey:x@correo.example' }, 'avisos@feria.example'],
  [
    { PUBLIC_URL: 'https://feria.example', SMTP_URL: 'smtps://sitio%40otra.example:x@correo.example' },
    'sitio@otra.example',
  ],
  [{ SMTP_URL: 'smtps://sitio%40otra.example@correo.example', MAIL_FROM: 'hola@feria.example' }, 'hola@feria.example'],
  [{ SMTP_URL: 'smtp://100%25%zz@correo.example' }, 'avisos@certamen.local'],
])('with %j mail comes from %s', (env, address) => {
  expect(readSettings(env).mailFrom).toBe(address)
})

test.each([
  [{ SMTP_URL: 'correo.example:587' }, /SMTP_URL debe ser una dirección como smtps:/],
  [{ SMTP_URL: 'https://correo.example' }, /SMTP_URL debe ser una dirección como smtps:/],
  [{ SMTP_URL: 'smtp://' }, /SMTP_URL debe nombrar el servidor/],
  [{ DISK_FLOOR: '5' }, /DISK_FLOOR debe decir cuánto disco se deja libre/],
  [{ DISK_FLOOR: '95%' }, /DISK_FLOOR debe decir/],
  [{ MAIL_FROM: 'Avisos <avisos@feria.example>' }, /MAIL_FROM debe ser un correo como/],
  [{ SECOND_FACTOR: 'yes' }, /SECOND_FACTOR debe ser suggested .* o required/],
])('%j stops the start', (env, line) => {
  expect(() => readSettings(env)).toThrow(line)
})
