import { beforeAll, expect, test } from 'vitest'
import { listDateContradictions } from './date-contradictions.ts'
import { withValueAt } from './field-path.ts'
import { readEdition } from './read-content.server.ts'

let sample: Record<string, unknown>
beforeAll(async () => {
  sample = (await readEdition()).documents
})

const found = (values: Record<string, unknown>) =>
  listDateContradictions(values).map(({ documento, donde, remedio }) => `${documento} ${donde}: ${remedio}`)
const changed = (document: string, path: (string | number)[], value: unknown, before = sample) => ({
  ...before,
  [document]: withValueAt(before[document], path, value),
})

test('the sample edition contradicts itself nowhere', () => {
  expect(found(sample)).toEqual([])
})

test('with the dates moved to another year, what still says last year’s is listed', () => {
  const moved = JSON.parse(JSON.stringify(sample['edicion.yaml']).replaceAll(/2025-/g, '2026-'))
  const all = found({ ...sample, 'edicion.yaml': { ...moved, anio: 2026 } })
  expect(all).toEqual(
    expect.arrayContaining([
      'programa.yaml Días › Se enciende la rueda › Día: es el 12 de septiembre de 2025, y la feria va del 12 al 28 de septiembre de 2026',
      expect.stringMatching(/^historia\.yaml .*: dice «sábado 27», y el 27 de septiembre de 2026 es domingo$/),
      expect.stringMatching(/^convocatorias\.yaml .*Boletín.*: dice «sábado 27 de septiembre», y el 27 de/),
      expect.stringMatching(/^convocatorias\.yaml .*cartel.*: dice «sábado 27 de septiembre»/i),
      'privacidad.yaml Vigente desde: dice una fecha de 2025, y esta edición es la 2026',
    ]),
  )
})

test('a fair, a final and a closing that moved are held against the texts', () => {
  const fair = changed('edicion.yaml', ['feria', 'termina'], '2025-10-05')
  expect(found(fair)).toEqual([
    expect.stringMatching(
      /^historia\.yaml .*: dice «Del 12 al 28 de septiembre», y la feria va del 12 de septiembre al 5 de/,
    ),
    expect.stringMatching(/^convocatorias\.yaml .*: dice «del 12 al 28 de septiembre»/),
  ])
  const final = found(changed('edicion.yaml', ['fechas', 'coronacion'], '2025-09-28T20:00:00-06:00'))
  expect(final).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^historia\.yaml .*: dice «27 de septiembre de 2025», y la final es el 28 de septiembre de 2025/,
      ),
      expect.stringMatching(/^convocatorias\.yaml .*: dice «sábado 27 de septiembre», y la final es el 28 de/),
    ]),
  )
  expect(found(changed('edicion.yaml', ['fechas', 'cierreVotacion'], '2025-09-24T23:59:00-06:00'))).toEqual([
    expect.stringMatching(/^convocatorias\.yaml .*: dice «jueves 25 de septiembre», y la votación cierra el 24 de/),
  ])
})

test('a final outside the fair, and a vote that closes after it, are listed too', () => {
  const final = changed('edicion.yaml', ['fechas', 'coronacion'], '2025-09-05T20:00:00-06:00')
  expect(found(final).join('\n')).toMatch(/Final y coronación: es el 5 de septiembre de 2025, y la feria va del 12/)
  expect(found(final).join('\n')).toMatch(/Cierra la votación: es después de la final \(5 de septiembre de 2025\)/)
})

test('an opening of the vote is held against the texts, and an event of it needs its date', () => {
  const words = 'La votación abre el 14 de septiembre. Vota hasta el 25 de septiembre.'
  const news = changed('inicio.yaml', ['noticias', 0, 'texto'], words)
  expect(found(news)).toEqual([])
  const opened = (day: number) =>
    found(changed('edicion.yaml', ['fechas', 'aperturaVotacion'], `2025-09-${day}T10:00:00-06:00`, news))
  expect(opened(14)).toEqual([])
  expect(opened(15)).toEqual([
    expect.stringMatching(/^inicio\.yaml .*: dice «14 de septiembre», y la votación abre el 15 de septiembre de 2025$/),
  ])
  expect(found(changed('programa.yaml', ['aperturaVotacion'], { que: 'Abre la votación', lugar: 'Aquí' }))).toEqual([
    'programa.yaml La apertura de la votación: no se ve: escribe su día y su hora en «El certamen», en «Fechas»',
  ])
})

test('other days in the same texts are left alone', () => {
  const text =
    'Del 15 al 19 de septiembre hay talleres para la feria. El registro de la feria, del 1 al 20 de agosto. El domingo 14 de septiembre de 1924 no hubo final. El lunes 3 fue el ensayo.'
  expect(found(changed('inicio.yaml', ['noticias', 0, 'texto'], text))).toEqual([])
})
