import { expect, test } from 'vitest'
import type { PeriodStatus } from '#app/cms/edition-settings/schema.ts'
import { slideForToday } from './rules.ts'

const closed = { titulo: 'Convocatoria cerrada', texto: 'Gracias por su participación.', imagen: 'cierre.jpg' }
const invitation = { titulo: 'Convocatoria abierta', texto: 'Ven.', imagen: 'corona.jpg' }
const period = (state: PeriodStatus['estado']): PeriodStatus => ({ estado: state, abre: '', cierra: '', cuando: '' })

test('shows the invitation while the registration is open or about to open, and keeps the key', () => {
  for (const state of ['antes', 'abierto'] as const)
    expect(slideForToday({ ...closed, invitacion: invitation }, period(state))).toMatchObject({
      ...invitation,
      slideKey: 'Convocatoria cerrada',
    })
})

test('shows the closed text after the period, while the period is unknown, and without an invitation', () => {
  for (const known of [period('despues'), undefined, null])
    expect(slideForToday({ ...closed, invitacion: invitation }, known)).toMatchObject(closed)
  expect(slideForToday(closed, period('abierto'))).toMatchObject(closed)
})
