#!/bin/sh
# Runs the site and its commands from a package, without npm and network. DATA_DIR must be writable.
set -eu
package_dir=$(dirname -- "$(readlink -f -- "$0")")
usage() {
  cat <<FIN
Se usa así: certamen [ORDEN] [OPCIONES]
  certamen                              arranca el sitio
  certamen respaldo --a CARPETA         copia el sitio a otro lugar, en marcha o no
  certamen restaurar ORIGEN             pone una copia en un lugar vacío
  certamen actualizar PAQUETE.tar.gz --suma SUMA    pone otra versión sin dejar de atender; --volver regresa a la de antes
  certamen configurar <AJUSTES >NUEVOS  pregunta dominio, correo, copias y vigilancia, y los prueba
  certamen mudanza, estado, cuentas, edicion, contenido, escrutinio
  certamen sano                         termina con 0 si el sitio contesta, con 1 si no
  certamen version                      cuál es este paquete
FIN
}
node=$package_dir/node_modules/.bin/node
if [ ! -x "$node" ]; then
  node=$(command -v node || true)
  if [ -z "$node" ] || [ "$("$node" -p '"BoundSocket" in net')" != true ]; then
    echo 'Este paquete no trae Node: instala Node 24.19 o más nuevo, o usa el paquete que lo trae.' >&2
    exit 1
  fi
fi
command=${1:-arrancar}
[ $# -eq 0 ] || shift
case $command in
  arrancar) script=serve ;;
  version | --version) exec cat "$package_dir/paquete.json" ;;
  sano) exec "$node" "$package_dir/scripts/sano.mjs" ;;
  ayuda | -h | --help) usage; exit 0 ;;
  *[!a-z]*) usage >&2; exit 1 ;;
  respaldo | restaurar | mudanza | estado | configurar | actualizar | cuentas | edicion | contenido | escrutinio) script=$command ;;
  *) usage >&2; exit 1 ;;
esac
if [ ! -f "$package_dir/scripts/$script.ts" ]; then
  echo "Este paquete no trae la orden «$command»." >&2
  exit 1
fi
# Relative paths in arguments and in DATA_DIR start at the caller's folder, before the script changes into the package's.
INIT_CWD=$PWD
DATA_DIR=${DATA_DIR:-data}
case $DATA_DIR in /*) ;; *) DATA_DIR=$PWD/$DATA_DIR ;; esac
export INIT_CWD DATA_DIR
cd -- "$package_dir"
if [ $script = serve ] && [ -f ordenes/serve.js ]; then
  exec "$node" --disable-warning=ExperimentalWarning --max-semi-space-size=2 ordenes/serve.js "$@"
fi
exec "$node" --disable-warning=ExperimentalWarning "scripts/$script.ts" "$@"
