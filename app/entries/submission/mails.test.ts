import { revisarCartas } from '../../../tests/cartas.ts'
import { cartaDeInscripcion } from './mails.server.ts'

const folio = '7K3M-Q9XT-04WB'
revisarCartas([cartaDeInscripcion('candidata', folio), cartaDeInscripcion('traje', folio)])
