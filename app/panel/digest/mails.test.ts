import { revisarCartas } from '../../../tests/cartas.ts'
import { cartaDeNovedades } from './mails.server.ts'

const nada = { candidatas: 0, trajes: 0, repuestas: 0, recibidas: 0, enRevision: 0, noLlegaron: 0 }
revisarCartas([
  cartaDeNovedades({ ...nada, candidatas: 3, trajes: 1, repuestas: 2, recibidas: 7, noLlegaron: 1 }, 'diario'),
  cartaDeNovedades({ ...nada, noLlegaron: 4 }, 'al-momento'),
])
