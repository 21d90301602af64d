/* The subcommands of keelson: one function each, called with argv[0] = the subcommand's name.
 *
 * They return the exit code: 0 done; 1 it could not be done (the reason was printed); 2 unreadable input or usage.
 */
#ifndef KEELSON_KEELSON_H
#define KEELSON_KEELSON_H

int config_main(int argc, char **argv);
int validate_main(int argc, char **argv);

int devices_main(int argc, char **argv);
int storage_main(int argc, char **argv);
int modules_main(int argc, char **argv);
int last_words_main(int argc, char **argv);
int network_main(int argc, char **argv);
int dhcp_event_main(int argc, char **argv);
int time_main(int argc, char **argv);
int time_event_main(int argc, char **argv);
int cluster_main(int argc, char **argv);
int probe_main(int argc, char **argv);
int runtime_check_main(int argc, char **argv);
int node_main(int argc, char **argv);
int images_main(int argc, char **argv);
int pods_main(int argc, char **argv);

int status_main(int argc, char **argv);
int services_main(int argc, char **argv);
int boot_main(int argc, char **argv);
int service_act_main(int argc, char **argv);
int logs_main(int argc, char **argv);
int ps_main(int argc, char **argv);
int end_main(int argc, char **argv);

#endif
