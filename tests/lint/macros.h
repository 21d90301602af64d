/* jansson's loops, for cppcheck alone: it does not read the system's headers. Included before every file by `make
 * lint`. */
#undef KEELSON_VERSION /* cppcheck loses the quotes of the command line's */
#define KEELSON_VERSION "0.0.0"
#define json_array_foreach(array, index, value)                                                                        \
	for (index = 0; index < json_array_size(array) && (value = json_array_get(array, index)); index++)
#define json_object_foreach(object, key, value)                                                                        \
	for (key = json_object_iter_key(json_object_iter(object)); key && (value = json_object_get(object, key));      \
	     key = json_object_iter_key(json_object_iter_next(object, key)))
