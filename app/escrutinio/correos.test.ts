import { revisarCartas } from '../../tests/cartas.ts'
import { cartaDeRecibo } from './correos.server.ts'

revisarCartas([cartaDeRecibo('7F2K-94QX-M3TR')])
