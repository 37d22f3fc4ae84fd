import { expect, test } from 'vitest'
import { changesBetween } from './diff.ts'

const candidate = (id: string, nombre: string, edad: number) => ({ id, nombre, edad, cumple: '7 de agosto' })
const [valeria, renata, ximena] = [
  candidate('valeria', 'Valeria Bugambilia', 22),
  candidate('renata', 'Renata Cempasúchil', 22),
  candidate('ximena', 'Ximena Agave', 24),
] as const
const list = (...candidatas: object[]) => ({ 'candidatas.yaml': { candidatas } })

test('candidates in another order are one change in words, which names only those who moved', () => {
  expect(changesBetween(list(valeria, renata, ximena), list(ximena, valeria, renata))).toEqual([
    {
      documento: 'candidatas.yaml',
      campo: ['candidatas'],
      before: undefined,
      after: undefined,
      label: 'Candidatas',
      moves: 'Ximena Agave pasa del 3 al 1',
    },
  ])
})

test('a changed candidate is compared with herself, wherever she stands', () => {
  const changes = changesBetween(list(valeria, renata, ximena), list(ximena, valeria, { ...renata, edad: 23 }))
  expect(changes).toHaveLength(2)
  expect(changes[1]).toMatchObject({
    campo: ['candidatas', 2, 'edad'],
    before: { text: '22' },
    after: { text: '23' },
  })
})

test('another candidate in a place of the list is not the one of before, though both are 22', () => {
  expect(changesBetween(list(valeria, ximena), list(renata, ximena))).toMatchObject([
    { before: undefined, after: { text: 'Renata Cempasúchil' } },
    { before: { text: 'Valeria Bugambilia' }, after: undefined },
  ])
})

test('a paragraph put between others is one change, and so is a replaced photograph', () => {
  const photo = (foto: string) => ({ foto, alt: `Se ve ${foto}`, foco: [50, 50] })
  const before = {
    'historia.yaml': { parrafos: ['Uno', 'Dos'] },
    'inicio.yaml': { galeria: [photo('a/1.jpg'), photo('a/2.jpg')] },
  }
  const now = {
    'historia.yaml': { parrafos: ['Uno', 'Entre los dos', 'Dos'] },
    'inicio.yaml': { galeria: [photo('a/1.jpg'), photo('a/3.jpg')] },
  }
  expect(changesBetween(before, now)).toMatchObject([
    { campo: ['parrafos', 1], before: undefined, after: { text: 'Entre los dos' } },
    { campo: ['galeria', 1], before: { photo: 'a/2.jpg' }, after: { photo: 'a/3.jpg' } },
  ])
})

test('of a replaced video its lighter copy, which the site removes, is not told', () => {
  const documents = (ancho: object) => ({ 'inicio.yaml': { video: { ancho } } })
  const before = documents({ av1: 'inicio/fondo.webm', h264: 'inicio/fondo.mp4' })
  expect(changesBetween(before, documents({ h264: 'videos/otro.mp4' }))).toMatchObject([
    { campo: ['video', 'ancho', 'h264'], after: { file: 'videos/otro.mp4' } },
  ])
})

test('dates, choices and the winner are told in words, as people read them', () => {
  const documents = (fecha: string, cierre: string, ganadora: string) => ({
    ...list(valeria, ximena),
    'edicion.yaml': { fechas: { cierreVotacion: cierre } },
    'programa.yaml': { dias: [{ fecha, eventos: [] }] },
    'popularidad.yaml': { ganadora: { candidata: ganadora } },
    'final.yaml': { rondas: [{ nombre: 'Una', clase: fecha === '2025-09-12' ? 'traje' : 'talento' }] },
  })
  const changes = changesBetween(
    documents('2025-09-12', '2025-09-25T23:59:00-06:00', 'valeria'),
    documents('2026-09-12', '2026-09-24T23:59:00-06:00', 'ximena'),
  )
  const words = changes.flatMap(({ before, after }) => [before, after]).map((one) => one && 'text' in one && one.text)
  expect(words).toContain('Ximena Agave')
  expect(words).toContain('Pasarela con traje')
  expect(words).toContain('12 de septiembre de 2026')
  expect(words.join()).toMatch(/24 de septiembre de 2026/)
  expect(words.join()).not.toMatch(/\d{4}-\d\d/)
})

test('a moved focal point and an emptied line are told, and emphasis is marked', () => {
  const photo = (foco: number[]) => ({ foto: 'a/1.jpg', alt: 'La reina en su carro', foco })
  const documents = (rotulo: string[], foco: number[], introduccion: string) => ({
    'edicion.yaml': { rotulo },
    'inicio.yaml': { introduccion, galeria: [photo(foco)] },
  })
  const changes = changesBetween(
    documents(['Señorita', 'Azahares'], [50, 50], 'Será *una noche*.'),
    documents(['Señorita', ''], [50, 10], 'Será *una sola noche*.'),
  )
  expect(changes).toMatchObject([
    { campo: ['rotulo'], before: { text: 'Señorita\nAzahares' }, after: { text: 'Señorita' } },
    {
      before: { text: 'Será *una noche*.', hasEmphasis: true },
      after: { text: 'Será *una sola noche*.', hasEmphasis: true },
    },
    { before: { alt: 'La reina en su carro' }, after: { photo: 'a/1.jpg', alt: 'Cambió lo que siempre debe verse' } },
  ])
  const [emptied] = changesBetween({ 'edicion.yaml': { rotulo: ['Señorita'] } }, { 'edicion.yaml': { rotulo: [] } })
  expect(emptied).toMatchObject({ before: { text: 'Señorita' }, after: undefined })
})
