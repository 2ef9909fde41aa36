// The protocol, read from the .proto files when the process starts.
import path from 'node:path';
import { loadPackageDefinition } from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const dir = path.join(import.meta.dirname, '..', 'proto');
const files = ['connector.proto', 'host.proto', 'health.proto', 'status.proto'];

// Fields keep their names, enums are their names, and 64-bit numbers are
// numbers: none of the protocol's comes near 2^53.
const definition = protoLoader.loadSync(files, {
  includeDirs: [dir], keepCase: true, enums: String, longs: Number, defaults: true, oneofs: true,
});
const root = loadPackageDefinition(definition);

/** The services that a connector serves. */
export const services = {
  connector: root.footnote.plugin.v1.Connector.service,
  controller: root.plugin.GRPCController.service,
  stdio: root.plugin.GRPCStdio.service,
  health: root.grpc.health.v1.Health.service,
};

/** The messages that are written into others as bytes. */
export const messages = {
  encode: (type, value) => definition[type].serialize(value),
};
